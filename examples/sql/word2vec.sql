-- Word2Vec: vectors of words, such that words that stand near each other go together and words drawn by chance do not (skip-gram
-- with negative samples; Mikolov et al., NIPS 2013; Recursive SQL §7).
-- examples/sql/words.py --folder /tmp/text /usr/share/common-licenses/[A-Z]*; cd /tmp/text; tessera sql db -f …/word2vec.sql
CREATE TABLE words(word int, spelling text);
CREATE TABLE tokens(id int, doc int, word int);
CREATE TABLE counts(n vector[]);
COPY words FROM 'words.csv' (HEADER);
COPY tokens FROM 'tokens.csv' (HEADER);
COPY counts FROM 'counts.npy' (WHOLE);

-- Words within two places of each other; for each of these pairs five more words, drawn by how common they are.
CREATE INDEX token_places ON tokens(id);
CREATE TABLE pairs AS
  SELECT a.word AS center, b.word AS context FROM tokens AS a, tokens AS b
  WHERE b.id BETWEEN a.id - 2 AND a.id + 2 AND a.id <> b.id AND a.doc = b.doc;
CREATE TABLE samples AS
  SELECT center, context, 1.0 AS label FROM pairs
  UNION ALL
  SELECT p.center, categorical(power(c.n, 0.75)) AS context, 0.0 AS label
  FROM pairs AS p, (VALUES (1), (2), (3), (4), (5)) AS times(k), counts AS c;

-- After i steps a word has one vector where it is the center, w, and another where it is the context, c.
CREATE TABLE V[0](word, w, c) AS
  SELECT word, uniform(-0.5 * ones(32), 0.5), uniform(-0.5 * ones(32), 0.5) FROM words;

-- A step against the gradient of each word's mean loss.
CREATE TABLE V[i:1...](word, w, c) AS
  SELECT v.word, v.w + 2 * x.step, v.c + 2 * y.step
  FROM V[i-1] AS v,
       (SELECT s.center AS word, AVG((s.label - sigmoid(dot(a.w, b.c))) * b.c) AS step
        FROM samples AS s, V[i-1] AS a, V[i-1] AS b
        WHERE s.center = a.word AND s.context = b.word GROUP BY s.center) AS x,
       (SELECT s.context AS word, AVG((s.label - sigmoid(dot(a.w, b.c))) * a.w) AS step
        FROM samples AS s, V[i-1] AS a, V[i-1] AS b
        WHERE s.center = a.word AND s.context = b.word GROUP BY s.context) AS y
  WHERE v.word = x.word AND v.word = y.word;
CREATE TABLE loss[i:0...](loss) AS
  SELECT AVG(ln(1 + exp((1 - 2 * s.label) * dot(a.w, b.c))))
  FROM samples AS s, V[i] AS a, V[i] AS b WHERE s.center = a.word AND s.context = b.word;

EXECUTE (FOR j IN 0...5: MATERIALIZE V[20 * j]);
EXECUTE (FOR j IN 0...5: SELECT 20 * j AS step, loss FROM loss[20 * j]);

-- The words that are nearest to some.
SELECT spelling, near, likeness FROM
  (SELECT spelling, near, likeness, row_number() OVER (PARTITION BY spelling ORDER BY likeness DESC) AS place FROM
    (SELECT x.spelling, y.spelling AS near, dot(a.w, b.w) / (norm(a.w) * norm(b.w)) AS likeness
     FROM words AS x, words AS y, V[100] AS a, V[100] AS b
     WHERE x.spelling IN ('license', 'software', 'copies') AND x.word = a.word AND y.word = b.word AND x.word <> y.word) AS every) AS o
WHERE place <= 5 ORDER BY spelling, place;

-- Latent Dirichlet allocation by collapsed Gibbs sampling: every word of every document has one of ten topics, and is given another
-- by what the words around it and its other places have (Griffiths and Steyvers, PNAS 2004). In one version all are drawn side by
-- side against the counts of the last (Newman et al., JMLR 10, 2009; Recursive SQL §7).
-- examples/sql/words.py --folder /tmp/text /usr/share/common-licenses/[A-Z]*; cd /tmp/text; tessera sql db -f …/topics.sql
CREATE TABLE words(word int, spelling text);
CREATE TABLE tokens(id int, doc int, word int);
COPY words FROM 'words.csv' (HEADER);
COPY tokens FROM 'tokens.csv' (HEADER);
CREATE TABLE topics(k vector[10]);
INSERT INTO topics VALUES ('{1,2,3,4,5,6,7,8,9,10}');
CREATE TABLE prior AS SELECT 0.1 AS a, 0.01 AS b, 0.01 * count(*) AS all_b FROM words;

-- A topic is a vector with a 1 at its place. The counts of topics by document, by word, and of all.
CREATE TABLE Z[0](id, doc, word, z) AS
  SELECT t.id, t.doc, t.word, (k.k = categorical(ones(10)))::f64 FROM tokens AS t, topics AS k;
CREATE TABLE D[i:0...](doc, n) AS SELECT doc, SUM(z) FROM Z[i] GROUP BY doc;
CREATE TABLE T[i:0...](word, n) AS SELECT word, SUM(z) FROM Z[i] GROUP BY word;
CREATE TABLE N[i:0...](n) AS SELECT SUM(z) FROM Z[i];

-- What a place itself adds to the counts is taken off.
CREATE TABLE Z[i:1...](id, doc, word, z) AS
  SELECT z.id, z.doc, z.word,
         (k.k = categorical((d.n - z.z + p.a) * (t.n - z.z + p.b) / (n.n - z.z + p.all_b)))::f64
  FROM Z[i-1] AS z, D[i-1] AS d, T[i-1] AS t, N[i-1] AS n, topics AS k, prior AS p
  WHERE z.doc = d.doc AND z.word = t.word;

-- The mean log-likelihood of a place by the topics of its document and the words of these.
CREATE TABLE fit[i:0...](fit) AS
  SELECT AVG(ln(dot((d.n + p.a) / (dot(d.n, ones(10)) + 10 * p.a), (t.n + p.b) / (n.n + p.all_b))))
  FROM tokens AS z, D[i] AS d, T[i] AS t, N[i] AS n, prior AS p
  WHERE z.doc = d.doc AND z.word = t.word;

EXECUTE (FOR j IN 0...5: MATERIALIZE Z[20 * j]);
EXECUTE (FOR j IN 0...5: SELECT 20 * j AS step, fit FROM fit[20 * j]);

-- The words that stand out in each topic: the share of their places that has it, of those that have it often.
CREATE TABLE answers AS SELECT word, n FROM T[100];
SELECT topic, spelling, places FROM
  (SELECT topic, spelling, places, row_number() OVER (PARTITION BY topic ORDER BY share DESC, places DESC) AS place FROM
    (SELECT w.spelling, largest_at(a.n) AS topic, dot(a.n, (k.k = largest_at(a.n))::f64) AS places,
            dot(a.n, (k.k = largest_at(a.n))::f64) / dot(a.n, ones(10)) AS share
     FROM answers AS a, words AS w, topics AS k WHERE a.word = w.word) AS every
   WHERE places >= 20) AS o
WHERE place <= 5 ORDER BY topic, place;

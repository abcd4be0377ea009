-- A network with one hidden layer learns to read handwritten digits, as a handful of recursive definitions.
-- In examples/digits: tessera sql /tmp/digits -f ../sql/digits.sql

-- 1,797 pictures of 64 pixels between 0 and 16, and the digit that each shows.
CREATE TABLE pixels(x vector[64]);
CREATE TABLE labels(label int);
COPY pixels FROM 'pixels.npy';
COPY labels FROM 'labels.npy';
CREATE TABLE pictures AS
  SELECT p.rowid AS id, l.label, p.x / 16 AS x FROM pixels AS p, labels AS l WHERE p.rowid = l.rowid;

-- Every fourth picture is kept back. An answer is a vector with a 1 at its digit.
CREATE TABLE digits(digit vector[10]);
INSERT INTO digits VALUES ('{0,1,2,3,4,5,6,7,8,9}');
CREATE TABLE data_input AS SELECT id, x FROM pictures WHERE id % 4 > 0;
CREATE TABLE data_output AS
  SELECT id, (digit = label)::f64 AS y FROM pictures, digits WHERE id % 4 > 0;

-- Weights W and biases B after i steps; layer 1 has 32 neurons, layer 2 one for each digit.
CREATE TABLE W[0][1](mat) AS SELECT normal(zeros(64, 32), 0.2);
CREATE TABLE W[0][2](mat) AS SELECT normal(zeros(32, 10), 0.2);
CREATE TABLE B[0][1](vec) AS SELECT zeros(32);
CREATE TABLE B[0][2](vec) AS SELECT zeros(10);

-- Activations, forward; errors, backward; a step against the gradient.
CREATE TABLE A[i:0...][0](id, act) AS SELECT id, x FROM data_input;
CREATE TABLE A[i:0...][1](id, act) AS
  SELECT a.id, relu(matmul(a.act, w.mat) + b.vec) FROM A[i][0] AS a, W[i][1] AS w, B[i][1] AS b;
CREATE TABLE A[i:0...][2](id, act) AS
  SELECT a.id, softmax(matmul(a.act, w.mat) + b.vec) FROM A[i][1] AS a, W[i][2] AS w, B[i][2] AS b;
CREATE TABLE E[i:0...][2](id, err) AS
  SELECT a.id, crossentropyderiv(a.act, d.y) FROM A[i][2] AS a, data_output AS d WHERE a.id = d.id;
CREATE TABLE E[i:0...][1](id, err) AS
  SELECT a.id, matmul(w.mat, e.err) * reluderiv(a.act) FROM E[i][2] AS e, W[i][2] AS w, A[i][1] AS a WHERE a.id = e.id;
CREATE TABLE W[i:1...][j:1...2](mat) AS
  SELECT w.mat - 0.0008 * g.mat
  FROM W[i-1][j] AS w,
       (SELECT SUM(outer(a.act, e.err)) AS mat FROM A[i-1][j-1] AS a, E[i-1][j] AS e WHERE a.id = e.id) AS g;
CREATE TABLE B[i:1...][j:1...2](vec) AS
  SELECT b.vec - 0.0008 * g.vec FROM B[i-1][j] AS b, (SELECT SUM(err) AS vec FROM E[i-1][j]) AS g;

-- How many of the pictures that were kept back are read right after 300 steps: the largest output is the digit's, counted from 1.
CREATE TABLE answers AS
  SELECT p.id, p.label,
         largest_at(matmul(relu(matmul(p.x, w1.mat) + b1.vec), w2.mat) + b2.vec) - 1 AS answer
  FROM pictures AS p, W[300][1] AS w1, W[300][2] AS w2, B[300][1] AS b1, B[300][2] AS b2
  WHERE p.id % 4 = 0;
SELECT count(*) AS pictures, 1.0 * sum(answer = label) / count(*) AS accuracy FROM answers;

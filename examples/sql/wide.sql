-- A step of a wide network, whose weights are far larger than its data: 6,000 features, 4,000 hidden neurons, 17 labels (Recursive
-- SQL §7 at a tenth of its size). Layer 1 is relu, layer 2 softmax; every version of the weights is one matrix.
-- In a folder with x.npy, f32[n,6000], and y.npy, f32[n,17]: tessera sql db -f …/wide.sql
CREATE TABLE data(x matrix(f32)[][]);
CREATE TABLE truth(y matrix(f32)[][]);
COPY data FROM 'x.npy' (WHOLE);
COPY truth FROM 'y.npy' (WHOLE);

CREATE TABLE W[0][1](mat) AS SELECT normal(zeros(6000, 4000), 0.02)::f32;
CREATE TABLE W[0][2](mat) AS SELECT normal(zeros(4000, 17), 0.02)::f32;
CREATE TABLE A[i:0...][0](act) AS SELECT x FROM data;
CREATE TABLE A[i:0...][1](act) AS SELECT relu(matmul(a.act, w.mat)) FROM A[i][0] AS a, W[i][1] AS w;
CREATE TABLE A[i:0...][2](act) AS SELECT softmax(matmul(a.act, w.mat)) FROM A[i][1] AS a, W[i][2] AS w;
CREATE TABLE E[i:0...][2](err) AS SELECT crossentropyderiv(a.act, t.y) FROM A[i][2] AS a, truth AS t;
CREATE TABLE E[i:0...][1](err) AS
  SELECT matmul(e.err, t(w.mat)) * reluderiv(a.act) FROM E[i][2] AS e, W[i][2] AS w, A[i][1] AS a;
CREATE TABLE W[i:1...][j:1...2](mat) AS
  SELECT w.mat - 0.0001 * matmul(t(a.act), e.err) FROM W[i-1][j] AS w, A[i-1][j-1] AS a, E[i-1][j] AS e;
-- The mean of -log of what the network says of the right label.
CREATE TABLE loss[i:0...](loss) AS
  SELECT -trace(matmul(t(t.y), ln(a.act + 1e-30))) / trace(matmul(t(t.y), t.y)) FROM A[i][2] AS a, truth AS t;

EXECUTE (FOR i IN 0...3: SELECT i AS step, loss FROM loss[i]);

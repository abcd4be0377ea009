-- Binomial coefficients, one table for each (Recursive SQL §4.1).
CREATE TABLE pascalsTri[0][0] (val) AS
  SELECT val FROM VALUES (1);
CREATE TABLE pascalsTri[i:1...][i] (val) AS
  SELECT * FROM pascalsTri[i-1][i-1];
CREATE TABLE pascalsTri[i:1...][0] (val) AS
  SELECT * FROM pascalsTri[i-1][0];
CREATE TABLE pascalsTri[i:2...][j:1...i-1] (val) AS
  SELECT pt1.val + pt2.val AS val
  FROM pascalsTri[i-1][j-1] AS pt1, pascalsTri[i-1][j] AS pt2;

SELECT * FROM pascalsTri[56][23];
EXECUTE (FOR j IN 0...5: SELECT * FROM pascalsTri[5][j]);

-- Fibonacci's numbers: the sum of the two versions before, whose rows are put together.
CREATE TABLE Fibonacci[i:0...1] (val) AS
  SELECT * FROM VALUES (1);
CREATE TABLE Fibonacci[i:2...] (val) AS
  SELECT SUM (VAL) FROM UNION Fibonacci[i-2...i-1];

SELECT * FROM Fibonacci[80];

"""Windows over tensors beside windows over numbers that order alike, diagonals beside queries within, and drawn numbers of 64 bits. Many
statements share a process."""
import itertools

import numpy as np

from test_sql import array, database  # noqa: F401 (a fixture)


def answers(database, statements):
    """The rows of each statement."""
    results = database.run(";".join(statements))
    assert len(results) == len(statements)
    return results


def column(rows, name="x"):
    return [row[name] for row in rows]


def store_drawn_rows(database):
    random = np.random.default_rng(3)
    rows = [(k, int(random.integers(0, 3)), None if k % 7 == 3 else random.integers(0, 2, 2).tolist()) for k in range(1, 25)]
    values = ", ".join(f"({k}, {s}, {'NULL' if v is None else array(v)}, {'NULL' if v is None else 2 * v[0] + v[1]})" for k, s, v in rows)
    database.run(f"CREATE TABLE t(k int, g int, v vector[2], n int); INSERT INTO t VALUES {values}")


FUNCTIONS = ["count(*)", "count({})", "count(*) FILTER (WHERE g > 0)", "row_number()", "rank()", "dense_rank()", "ntile(3)", "percent_rank()",
             "cume_dist()", "sum(k)", "first_value(k)", "last_value(k)", "lag(k)", "lead(k, 2, -1)", "max(g)"]
WINDOWS = ["PARTITION BY {0}", "ORDER BY {0}", "PARTITION BY {0} ORDER BY k", "PARTITION BY g ORDER BY {0} DESC", "PARTITION BY {0}, g",
           "ORDER BY {0} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "ORDER BY {0} GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
           "ORDER BY {0}, k ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"]


def test_windows_compare_tensors_as_they_compare_numbers(database):
    store_drawn_rows(database)  # `n` orders and tells apart as `v` does
    statements = [f"SELECT k, {function.format(key)} OVER ({window.format(key)}{'' if 'k' in window else ', k' if 'row' in function else ''}) AS x "
                  "FROM t ORDER BY k"
                  for function, window, key in itertools.product(FUNCTIONS, WINDOWS, "vn")
                  if not (window.startswith("PARTITION BY {0}") and "ORDER" not in window and function[0] in "rnfl")
                  and not ("ORDER BY {0}" in window and "k" not in window and function[:3] in ("row", "nti", "fir", "las", "lag", "lea"))]
    results = answers(database, statements)
    for statement, by_tensor, by_number in zip(statements[::2], results[::2], results[1::2]):
        assert by_tensor == by_number, statement


SQUARES = ["softmax({0})", "tanh(softmax({0}))", "inverse({0})", "cholesky(matmul({0}, t({0})))", "softmax({0} + t({0}))", "solve({0}, {0} + 1)",
           "matmul(softmax({0}), {0})", "softmax(t({0}))", "softmax(t(softmax({0})))", "ARRAY[(softmax({0}))[1], {0}[2], {0}[3]]"]
DIAGONALS = ["trace({0})", "diag({0})", "einsum('ii->', {0})", "einsum('ii->i', {0})", "dot(diag({0}), ones(3))", "diag(t({0}))"]


def test_a_diagonal_stays_outside_of_what_binds_its_label(database):
    database.run("CREATE TABLE t(g int, m matrix[3][3]); INSERT INTO t VALUES (1,'{{0,1,0},{-1,0,0},{0.5,-1,1}}'), (2,'{{2,1,0},{1,3,1},{0,1,4}}')")
    statements = [text for square, diagonal in itertools.product(SQUARES, DIAGONALS) for text in (
        f"SELECT {diagonal.format(square.format('m'))} AS x FROM t ORDER BY g",
        f"SELECT {diagonal.format('s')} AS x FROM (SELECT g, {square.format('m')} AS s FROM t) y ORDER BY g")]
    results = answers(database, statements)
    for statement, direct, behind in zip(statements[::2], results[::2], results[1::2]):
        assert np.allclose(column(direct), column(behind), rtol=1e-13, atol=1e-13), statement  # functions of rounded sums
    database.run("CREATE TABLE b(a tensor[2][2][2]); INSERT INTO b VALUES ('{{{2,1},{0,1}},{{1,3},{1,1}}}')")
    batch = np.array([[[2, 1], [0, 1]], [[1, 3], [1, 1]]])
    assert np.allclose(database.rows("SELECT einsum('iij->ij', inverse(a)) AS x FROM b")[0]["x"], np.einsum("iij->ij", np.linalg.inv(batch)))


def test_whole_numbers_of_64_bits_are_exact_in_texts_arrays_and_csv_files(database, tmp_path):
    random = np.random.default_rng(6)
    signed = [[-2**63, 2**63 - 1], [2**53 + 1, -2**53 - 1], [0, 5]] + random.integers(-2**63, 2**63, (40, 2)).tolist()
    unsigned = [[2**64 - 1], [2**63], [7]] + random.integers(0, 2**64, (40, 1), dtype=np.uint64).tolist()
    rows = list(zip(signed, unsigned))
    columns = "k integer PRIMARY KEY, v vector(i64)[2], u vector(u64)[1]"
    texts = ", ".join(f"({k}, '{{{v[0]},{v[1]}}}', {array(u)})" for k, (v, u) in enumerate(rows))
    arrays = ", ".join(f"({k}, {array(v)}, '{{{u[0]}}}')" for k, (v, u) in enumerate(rows))
    database.run(f"CREATE TABLE a({columns}); CREATE TABLE b({columns}); CREATE TABLE c({columns}); "
                 f"INSERT INTO a VALUES {texts}; INSERT INTO b VALUES {arrays}; "
                 f"COPY a TO '{tmp_path}/a.csv'; COPY c FROM '{tmp_path}/a.csv'")
    for table in "abc":
        [found] = database.run(f"SELECT v, u FROM {table} ORDER BY k")
        assert [(row["v"], row["u"]) for row in found] == rows, table
    # Each is found by its value, as a text, as an array and among what is given for no column.
    conditions = [f"v = '{{{v[0]},{v[1]}}}'::vector(i64)[2] AND v = {array(v)} AND u IN ({array(u)})" for v, u in rows[:12]]
    found = database.run(";".join(f"SELECT k FROM a WHERE {condition}" for condition in conditions))
    assert [column(rows, "k") for rows in found] == [[k] for k in range(12)]
    # An element that SQLite's integers hold is one of them; a larger one is a float.
    assert column(database.run("SELECT v[2] AS x FROM a WHERE k < 2 ORDER BY k")[0]) == [2**63 - 1, -2**53 - 1]
    assert column(database.run("SELECT u[1] AS x FROM a WHERE k < 3 ORDER BY k")[0]) == [2.0**64, 2.0**63, 7]

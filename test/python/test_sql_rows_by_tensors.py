"""Drawn tables whose tensors order and pair rows, beside Python models. Many statements share a process."""
import itertools

import numpy as np

from test_sql import array, database, drawn  # noqa: F401 (a fixture)


def insertion(name, columns, rows):
    """Makes a table of these columns; an array is a tensor, None is NULL."""
    def text(value):
        if value is None:
            return "NULL"
        return array(value) if isinstance(value, np.ndarray) else repr(value)

    values = ", ".join("(" + ", ".join(map(text, row)) + ")" for row in rows)
    return f"CREATE TABLE {name}({columns}); INSERT INTO {name} VALUES {values}; "



def equal(got, wanted):
    """True if a column has these values, None for NULL."""
    return len(got) == len(wanted) and all(
        (one is None) == (other is None) and (one is None or np.array_equal(one, other)) for one, other in zip(got, wanted))


def column(rows, name):
    return [row[name] for row in rows]


def draw_table(database, count=24, num_groups=4, seed=5):
    """Makes t(k int, g int, j int, v vector[3], m matrix[2][3]) of few values, so that many are equal, and some NULL."""
    generator = np.random.default_rng(seed)
    rows = []
    for k in range(count):
        vector, matrix = generator.integers(0, 2, 3), generator.integers(-3, 4, (2, 3))
        rows.append((k, int(generator.integers(num_groups)), int(generator.integers(6)), vector if k != 7 and generator.random() < .9 else None, matrix))
    database.run(insertion("t", "k int, g int, j int, v vector[3], m matrix[2][3]", rows))
    return rows


def key(tensor):
    return None if tensor is None else tuple(np.ravel(tensor).astype(float).tolist())


DTYPES = ["i8", "u64", "f16", "bf16", "f32", "f64", "b1"]


def test_order_of_dtypes(database):
    drawn_values = {}
    for dtype in DTYPES:
        values = drawn((30, 20), 3) % 3 if dtype in ("u64", "b1") else drawn((30, 20), 3)
        values = values % 2 if dtype == "b1" else values
        values[:, :17] = values[0, :17]  # the elements that are compared first are equal
        drawn_values[dtype] = values
    database.run("".join(insertion(f"of_{dtype}", f"k int, v vector({dtype})[20]", list(enumerate(values))) for dtype, values in drawn_values.items()))
    results = database.run("; ".join(f"SELECT k FROM of_{dtype} ORDER BY v, k" for dtype in DTYPES))
    for (dtype, values), found in zip(drawn_values.items(), results):
        assert column(found, "k") == sorted(range(30), key=lambda k: (values[k].tolist(), k)), dtype


OUTER = {"LEFT": (True, False), "RIGHT": (False, True), "FULL": (True, True)}
PREDICATES = {"x.v = y.v AND x.k < y.k": lambda x, y: x[3] is not None and key(x[3]) == key(y[3]) and x[0] < y[0],
              "dot(x.v, y.v) > 1 AND x.g = y.g": lambda x, y: x[3] is not None and y[3] is not None and x[3] @ y[3] > 1 and x[1] == y[1],
              "x.m[1][1] > 1": lambda x, y: x[4][0, 0] > 1}


def test_outer_joins_on_tensors(database):
    rows = draw_table(database, 16)
    joins = list(itertools.product(OUTER, PREDICATES))
    results = database.run("; ".join(f"SELECT x.k AS i, y.k AS j, x.v + y.v AS s, y.m FROM t x {kind} JOIN t y ON {predicate}" for kind, predicate in joins))
    for (kind, predicate), found in zip(joins, results):
        holds = PREDICATES[predicate]
        left, right = OUTER[kind]
        wanted = {(x[0], y[0]) for x in rows for y in rows if holds(x, y)}
        wanted |= {(x[0], None) for x in rows if left and not any(holds(x, y) for y in rows)}
        wanted |= {(None, y[0]) for y in rows if right and not any(holds(x, y) for x in rows)}
        assert len(found) == len(wanted) and {(row["i"], row["j"]) for row in found} == wanted, (kind, predicate)
        for row in found:
            one, other = (None if row[name] is None else rows[row[name]] for name in "ij")
            both = one is not None and other is not None and one[3] is not None and other[3] is not None
            assert equal([row["s"], row["m"]], [one[3] + other[3] if both else None, None if other is None else other[4]])


def test_tensors_compared_by_value(database):
    rows = draw_table(database, 30)
    database.run("CREATE TABLE s(n int, w vector(i64)[3], z vector[2]); INSERT INTO s SELECT k, v, m[1][1:2] FROM t WHERE k % 2 = 0")
    others = [(row[0], row[3], row[4][0, :2]) for row in rows if row[0] % 2 == 0]
    def same(one, other):
        return one is not None and other is not None and key(one) == key(other)

    wanted = {"t.v = s.w": lambda t, s: same(t[3], s[1]), "s.w = t.v AND k < n": lambda t, s: same(t[3], s[1]) and t[0] < s[0],
              "v + 1 = w * 2 - 1": lambda t, s: t[3] is not None and s[1] is not None and same(t[3] + 1, s[1] * 2 - 1),
              "m[2][1:2] = z OR v = w": lambda t, s: same(t[4][1, :2], s[2]) or same(t[3], s[1]),
              "v <> w": lambda t, s: t[3] is not None and s[1] is not None and not same(t[3], s[1]),
              "NOT (v = w) AND k = n + 1": lambda t, s: t[3] is not None and s[1] is not None and not same(t[3], s[1]) and t[0] == s[0] + 1,
              "v IS NOT DISTINCT FROM w": lambda t, s: key(t[3]) == key(s[1]), "v IS DISTINCT FROM w": lambda t, s: key(t[3]) != key(s[1])}
    queries = [query for text in wanted for query in (f"SELECT k, n FROM t, s WHERE {text} ORDER BY k, n", f"SELECT k, n FROM t JOIN s ON {text} ORDER BY k, n",
                                                       f"SELECT k, n, w FROM t LEFT JOIN s ON {text} ORDER BY k, n")]
    results = database.run("; ".join(queries))
    for text, crossed, joined, outer in zip(wanted, results[::3], results[1::3], results[2::3]):
        pairs = [(t[0], s[0]) for t in rows for s in others if wanted[text](t, s)]
        assert [(row["k"], row["n"]) for row in crossed] == [(row["k"], row["n"]) for row in joined] == pairs, text
        assert [(row["k"], row["n"]) for row in outer if row["n"] is not None] == pairs, text
        assert [row["k"] for row in outer if row["n"] is None] == [t[0] for t in rows if all(t[0] != k for k, _ in pairs)], text
    assert "their extents differ" in database.refused("SELECT k FROM t, s WHERE v = z")
    database.run("UPDATE t SET j = -1 FROM s WHERE t.v = s.w AND s.n = 0; DELETE FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.w = t.v AND s.n = 2)")
    gone = {key(s[1]) for s in others if s[0] == 2 and s[1] is not None}
    assert [(row["k"], row["j"]) for row in database.rows("SELECT k, j FROM t ORDER BY k")] == [
        (t[0], -1 if same(t[3], others[0][1]) else t[2]) for t in rows if t[3] is None or key(t[3]) not in gone]

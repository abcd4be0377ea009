"""SQL between rows and tensors, beside numpy and SQLite: slices, tensors of rows, rows of tensors, equal tensors, windows."""
import numpy as np
import pytest

from test_sql import TESSERA, array, database, drawn  # noqa: F401 (a fixture)


def store(database, columns, rows):
    """A table t of these columns; an array is a tensor, None is NULL."""
    def text(value):
        if value is None:
            return "NULL"
        return array(value) if isinstance(value, np.ndarray) else repr(value)

    database.run(f"CREATE TABLE t({columns})")
    if rows:
        database.run("INSERT INTO t VALUES " + ", ".join("(" + ", ".join(map(text, row)) + ")" for row in rows))


def equal(got, wanted):
    """Whether columns of rows are these values, None for NULL."""
    return len(got) == len(wanted) and all(
        (one is None) == (other is None) and (one is None or np.array_equal(one, other)) for one, other in zip(got, wanted))


def column(rows, name):
    return [row[name] for row in rows]


SLICES = {"m[1:2]": np.s_[0:2], "m[2:3][1:5]": np.s_[1:3, 0:5], "m[:][2]": np.s_[:, 1], "m[2:]": np.s_[1:], "m[3][:4]": np.s_[2, :4],
          "m[:2][2:]": np.s_[:2, 1:], "m[4:4]": np.s_[3:4], "m[2][3]": np.s_[1, 2], "m[1 + 1:3]": np.s_[1:3]}


@pytest.mark.parametrize("options", [[], ["--pieces=3"]])
def test_slices(database, options):
    matrices = drawn((3, 4, 5))
    store(database, "k int, m matrix[4][5]", list(enumerate(matrices)) + [(9, None)])
    for text, place in SLICES.items():
        got = database.rows(f"SELECT {text} AS a, (m * 2){text[1:]} AS b FROM t ORDER BY k", *options)
        assert equal(column(got, "a"), [matrix[place] for matrix in matrices] + [None]), text
        assert equal(column(got, "b"), [2 * matrix[place] for matrix in matrices] + [None]), text
        assert np.array_equal(database.rows(f"SELECT sum({text}) AS s FROM t", *options)[0]["s"], sum(m[place] for m in matrices)), text
    product = database.rows("SELECT (matmul(m, t(m)))[2:3][1] AS p, (softmax(m[1:2][1:2]))[1][1] < 1 AS s FROM t WHERE k = 1")[0]
    assert np.array_equal(product["p"], (matrices[1] @ matrices[1].T)[1:3, 0]) and product["s"] == 1


def test_elements_that_rows_name(database):
    vectors, places = drawn((6, 4)), [1, 4, 2, None, 3, 3]
    store(database, "k int, v vector[4], w vector(i64)[2]", [(k, v, np.array([2, 4])) for k, v in zip(places, vectors)])
    got = database.rows("SELECT v[k] AS a, v[5 - k] AS b, v[w[2]] AS c, (v + 1)[k] AS d FROM t ORDER BY rowid")
    assert equal(column(got, "a"), [None if k is None else v[k - 1] for k, v in zip(places, vectors)])
    assert equal(column(got, "b"), [None if k is None else v[4 - k] for k, v in zip(places, vectors)])
    assert equal(column(got, "c"), [v[3] for v in vectors])
    assert equal(column(got, "d"), [None if k is None else v[k - 1] + 1 for k, v in zip(places, vectors)])
    assert database.rows("SELECT sum(v[k]) AS s FROM t")[0]["s"] == sum(v[k - 1] for k, v in zip(places, vectors) if k)
    assert column(database.rows("SELECT k FROM t WHERE v[k] > 0 ORDER BY rowid"), "k") == [
        k for k, v in zip(places, vectors) if k and v[k - 1] > 0]


@pytest.mark.parametrize("text, said, below", [
    ("m[1:5]", "there is no slice 1:5 along an extent of 4 in a matrix[4][5]", "1:5"),
    ("m[:][0:2]", "there is no slice 0:2 along an extent of 5 in a matrix[4][5]", "0:2"),
    ("m[3:2]", "there is no slice 3:2 along an extent of 4 in a matrix[4][5]", "3:2"),
    ("m[1][6]", "there is no element 6 along an extent of 5 in a matrix[4][5]", "6"),
    ("m[k]", "there is no element 7 along an extent of 4 in a matrix[4][5]", "k"),
    ("m[k:4]", "the ends of a slice are numbers", "k:4"),
    ("m[trace(m[:][:4])]", "named by a whole number", "trace(m[:][:4])")])
def test_slices_that_cannot_be(database, text, said, below):
    store(database, "k int, m matrix[4][5]", [(7, drawn((4, 5)))])
    message = database.refused(f"SELECT {text} AS a FROM t")
    assert said in message
    _, shown, carets = message.splitlines()[:3]
    assert shown[carets.index("^"):carets.rindex("^") + 1] == below


def draw_table(database, count=24, num_groups=4, seed=5):
    """k int, g int, j int, v vector[3], m matrix[2][3]: few values, so that many are equal, and some NULL."""
    generator = np.random.default_rng(seed)
    rows = []
    for k in range(count):
        vector, matrix = generator.integers(0, 2, 3), generator.integers(-3, 4, (2, 3))
        rows.append((k, int(generator.integers(num_groups)), int(generator.integers(6)), vector if k != 7 and generator.random() < .9 else None, matrix))
    store(database, "k int, g int, j int, v vector[3], m matrix[2][3]", rows)
    return rows


def members(rows, place, value):
    return [row for row in rows if row[place] == value]


def key(tensor):
    return None if tensor is None else tuple(np.ravel(tensor).astype(float).tolist())


def test_arrays_of_rows(database):
    rows = sorted(draw_table(database), key=lambda row: (row[1], -row[0]))
    groups = {g: members(rows, 1, g)[:3] for g in range(4)}
    chosen = ", ".join(str(row[0]) for group in groups.values() for row in group)
    got = database.rows(f"SELECT g, array_agg(m ORDER BY k DESC) AS a, array_agg(j * 2 ORDER BY k DESC) AS b, sum(j) AS s, "
                        f"(array_agg(j ORDER BY k DESC))[1:2] + sum(m[1][1:2]) AS c FROM t WHERE k IN ({chosen}) GROUP BY g ORDER BY g")
    for row, group in zip(got, groups.values()):
        assert np.array_equal(row["a"], [m for *_, m in group])
        assert row["b"] == [2 * one[2] for one in group] and row["s"] == sum(one[2] for one in group)
        assert np.array_equal(row["c"], np.array([one[2] for one in group[:2]]) + sum(one[4][0, :2] for one in group))
    whole = database.rows("SELECT array_agg(v ORDER BY k) FILTER (WHERE v IS NOT NULL) AS a FROM t")[0]["a"]
    assert np.array_equal(whole, [row[3] for row in sorted(rows, key=lambda row: row[0]) if row[3] is not None])
    assert database.rows("SELECT array_agg(v) AS a, array_agg(j) AS b FROM t WHERE k > 99") == [{"a": None, "b": None}]
    assert database.rows("SELECT g, array_agg(j) AS a FROM t WHERE k > 99 GROUP BY g") == []
    message = database.refused("SELECT g, array_agg(m) AS a FROM t GROUP BY g")
    sizes = [len(members(rows, 1, g)) for g in range(4)]
    other = next(g for g in range(4) if sizes[g] != sizes[0])
    assert f"array_agg of groups with {sizes[0]} rows, the group (0), and {sizes[other]} rows, the group ({other})" in message
    assert "22004" in database.refused("SELECT array_agg(v) FROM t")
    assert "42804" in database.refused("SELECT array_agg(CAST(k AS text)) FROM t")


def test_tensors_of_labelled_rows(database):
    store(database, "k int, i int, x double precision, v vector[2]",
          [(1, 3, 5., np.array([1, 2])), (1, 1, 7., np.array([3, 4])), (2, 2, 9., np.array([5, 6])), (2, None, 1., None), (3, 1, None, None)])
    got = database.rows("SELECT k, vectorize(x, i) AS a, rowmatrix(v, i) AS b, colmatrix(v, i, 4) AS c FROM t GROUP BY k ORDER BY k")
    assert column(got, "a") == [[7, 0, 5], [0, 9, 0], None]
    assert column(got, "b") == [[[3, 4], [0, 0], [1, 2]], [[0, 0], [5, 6], [0, 0]], None]
    assert column(got, "c") == [[[3, 0, 1, 0], [4, 0, 2, 0]], [[0, 5, 0, 0], [0, 6, 0, 0]], None]
    assert "two rows are at the place 1 of the group (0)" in database.refused("SELECT vectorize(1, 1) FROM t GROUP BY k * 0")
    assert "there is no place 0; places are counted from 1" in database.refused("SELECT vectorize(x, i - 1) FROM t GROUP BY k")
    assert "there is no place 3 of 2" in database.refused("SELECT rowmatrix(v, i, 2) FROM t GROUP BY k")
    assert "vectorize puts numbers together, not vector[2]" in database.refused("SELECT vectorize(v, i) FROM t")
    for call in ["vectorize(x, i, 9223372036854775807)", "vectorize(x, 9223372036854775807 - i)", "rowmatrix(v, i, 9223372036854775807)"]:
        assert "for every group has more bytes than can be counted" in database.refused(f"SELECT {call} FROM t WHERE x IS NOT NULL")
    huge = database.refused("SELECT vectorize(x, i, 1000000000000) FROM t WHERE k = 1")
    assert "vectorize: a vector[1000000000000] for every group takes 7.28 TiB" in huge


def test_rows_of_tensors(database):
    rows = draw_table(database)
    got = database.rows('SELECT k, "the x", i FROM t, unnest(t.m) WITH ORDINALITY AS u("the x", i) ORDER BY k, i')
    assert [(row["k"], row["i"], key(row["the x"])) for row in got] == [
        (row[0], i + 1, key(row[4][i])) for row in rows for i in range(2)]
    got = database.rows("SELECT k, x FROM t CROSS JOIN unnest(v) AS x WHERE x > 0 ORDER BY k")
    assert [(row["k"], row["x"]) for row in got] == [(row[0], x) for row in rows if row[3] is not None for x in row[3] if x > 0]
    got = database.rows("SELECT k, unnest(v + m[1]) AS a, unnest(t(m)) AS b FROM t WHERE v IS NOT NULL ORDER BY k, a")
    wanted = [(row[0], a, key(b)) for row in rows if row[3] is not None for a, b in zip(row[3] + row[4][0], row[4].T)]
    assert sorted((row["k"], row["a"], key(row["b"])) for row in got) == sorted(wanted)
    assert column(database.rows("SELECT unnest(SUM(m)) AS r FROM t"), "r") == sum(row[4] for row in rows).tolist()
    back = database.rows("SELECT k, array_agg(x ORDER BY i) AS m FROM t, unnest(m) WITH ORDINALITY AS u(x, i) GROUP BY k ORDER BY k")
    assert equal(column(back, "m"), [row[4] for row in rows])
    assert column(database.rows("SELECT * FROM unnest(ARRAY[3, 4])"), "unnest") == [3, 4]
    assert "unnest takes a tensor" in database.refused("SELECT unnest(k) FROM t, t AS s WHERE norm(s.v) > 0")
    assert "unnest of 2 and of 3 positions" in database.refused("SELECT unnest(m), unnest(v) FROM t")


def test_equal_tensors(database):
    rows = draw_table(database, 40)
    distinct = {key(row[3]) for row in rows}
    assert sorted(map(str, map(key, column(database.rows("SELECT DISTINCT v FROM t"), "v")))) == sorted(map(str, distinct))
    got = database.rows("SELECT v + 1 AS w, count(*) AS n, sum(m) AS s, min(k) AS first FROM t GROUP BY v ORDER BY first")
    for row in got:
        same = [one for one in rows if key(one[3]) == (None if row["w"] is None else key(np.array(row["w"]) - 1))]
        assert row["n"] == len(same) and row["first"] == same[0][0] and np.array_equal(row["s"], sum(one[4] for one in same))
    assert len(got) == len(distinct)
    low, high = {key(row[3]) for row in rows if row[0] < 12}, {key(row[3]) for row in rows if row[0] >= 9}
    for word, wanted in {"UNION": low | high, "INTERSECT": low & high, "EXCEPT": low - high}.items():
        got = database.rows(f"SELECT v FROM t WHERE k < 12 {word} SELECT v FROM t WHERE k >= 9")
        assert sorted(map(str, map(key, column(got, "v")))) == sorted(map(str, wanted)), word
    assert column(database.rows("SELECT k, v FROM t WHERE k < 5 UNION SELECT k, v FROM t WHERE k > 30 ORDER BY k DESC LIMIT 3"), "k") == [39, 38, 37]
    assert database.rows("SELECT count(DISTINCT v) AS n FROM t") == [{"n": len(distinct - {None})}]
    assert database.rows("SELECT largest_at(m[1]) AS p, count(*) AS n FROM t GROUP BY largest_at(m[1]) ORDER BY p") == [
        {"p": p + 1, "n": n} for p in range(3) if (n := sum(np.argmax(row[4][0]) == p for row in rows))]


def test_several_set_operations(database):
    database.run("CREATE TABLE t(k int, v vector[1]); INSERT INTO t VALUES (1, '{1}'), (2, '{2}'), (3, '{1}'), (4, '{3}'), (5, NULL)")
    def values(text):
        return sorted(str(row["v"]).replace(".0", "") for row in database.rows(text))

    assert values("SELECT v FROM t UNION SELECT v FROM t UNION SELECT v FROM t WHERE k < 3") == ["None", "[1]", "[2]", "[3]"]
    assert values("(SELECT DISTINCT v FROM t) UNION ALL (SELECT DISTINCT v FROM t WHERE k < 4)") == sorted(["None", "[1]", "[2]", "[3]", "[1]", "[2]"])
    assert values("SELECT v FROM t EXCEPT SELECT v FROM t WHERE k = 2 EXCEPT SELECT NULL") == ["[1]", "[3]"]
    assert values("SELECT NULL AS v UNION SELECT v FROM t WHERE k = 1") == ["None", "[1]"]
    assert values("SELECT v FROM t WHERE v IN (SELECT max(v) FROM t)") == ["[3]"]
    assert "column v of a UNION has tensors, and scalars" in database.refused("SELECT v FROM t UNION SELECT k FROM t")
    assert "column v of a UNION is a vector[1] and a vector[2]" in database.refused("SELECT v FROM t UNION SELECT zeros(2) FROM t")
    assert "a window may not stand in WHERE" in database.refused("SELECT v FROM t WHERE sum(v) OVER () = v")
    assert "unnest may not stand in GROUP BY" in database.refused("SELECT unnest(v), count(*) FROM t GROUP BY 1")
    assert "unnest may not stand in an aggregate" in database.refused("SELECT sum(unnest(v)) FROM t")


def test_tensors_compared_as_a_whole(database):
    rows = draw_table(database, 30)
    there = [row for row in rows if row[3] is not None]
    same = [(one[0], other[0]) for one in there for other in there if one[0] < other[0] and key(one[3]) == key(other[3])]
    got = database.rows("SELECT a.k AS i, b.k AS j FROM t a JOIN t b ON a.v = b.v AND a.k < b.k ORDER BY i, j")
    assert [(row["i"], row["j"]) for row in got] == same
    wanted = {"v = m[1][1:3]": lambda row: row[3] is not None and key(row[3]) == key(row[4][0]),
              "v <> ARRAY[0,1,0]": lambda row: row[3] is not None and key(row[3]) != (0, 1, 0),
              "NOT v = ARRAY[0,1,0] OR k = 7": lambda row: row[0] == 7 or row[3] is not None and key(row[3]) != (0, 1, 0),
              "v IN (ARRAY[1,1,1], ARRAY[0,0,1]) AND k > 3": lambda row: row[0] > 3 and key(row[3]) in [(1, 1, 1), (0, 0, 1)],
              "v IS DISTINCT FROM m[2]": lambda row: key(row[3]) != key(row[4][1]),
              "v IN (SELECT v FROM t WHERE k < 4)": lambda row: row[3] is not None and key(row[3]) in {key(one[3]) for one in there if one[0] < 4},
              "v NOT IN (SELECT v FROM t WHERE k < 4)": lambda row: row[3] is not None and key(row[3]) not in {key(one[3]) for one in there if one[0] < 4},
              "v NOT IN (SELECT v FROM t WHERE k = 7)": lambda row: False,
              "v NOT IN (SELECT v FROM t WHERE k > 99)": lambda row: True}
    for text, holds in wanted.items():
        assert column(database.rows(f"SELECT k FROM t WHERE {text} ORDER BY k"), "k") == [row[0] for row in rows if holds(row)], text
    assert "numbers among" in database.refused("SELECT k FROM t WHERE k IN (SELECT v FROM t)")
    assert "compared as a whole" in database.refused("SELECT k FROM t WHERE v = 0")


def test_signs_of_zero_and_not_a_number_are_equal(database):
    database.run("CREATE TABLE t(v vector[2]); INSERT INTO t VALUES ('{0,1}'), ('{-0.0,1}'), ('{nan,0}'), ('{nan,-0.0}'), ('{1,nan}')")
    assert database.rows("SELECT count(DISTINCT v) AS n FROM t") == [{"n": 3}]


def test_queries_that_give_tensors_in_expressions(database):
    rows = draw_table(database)
    there = [row[3] for row in rows if row[3] is not None]
    got = database.rows("SELECT v - (SELECT sum(v) FROM t) AS d, (SELECT m FROM t WHERE k = 3) AS m FROM t ORDER BY k")
    assert equal(column(got, "d"), [None if row[3] is None else row[3] - sum(there) for row in rows])
    assert equal(column(got, "m"), [rows[3][4]] * len(rows))
    got = database.rows("SELECT g, sum(m) * (SELECT sum(v) FROM t) AS d FROM t GROUP BY g ORDER BY g")
    assert equal(column(got, "d"), [sum(row[4] for row in members(rows, 1, g)) * sum(there) for g in range(4)])
    wanted = [row[0] for row in rows if row[3] is not None and row[3].sum() > 1]
    assert column(database.rows("SELECT k FROM t WHERE k IN (SELECT k FROM t WHERE dot(v, v) > 1) ORDER BY k"), "k") == wanted
    assert len(database.rows("SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t WHERE dot(v, v) > 9)")) == 0
    assert column(database.rows("SELECT k FROM t WHERE dot(v, (SELECT max(v) FROM t)) = 2 ORDER BY k"), "k") == [
        row[0] for row in rows if row[3] is not None and row[3].sum() == 2]
    message = database.refused("SELECT v - (SELECT v FROM t) AS d FROM t")
    assert "21000" in message and "gives 24 rows" in message


def test_queries_that_ask_for_each_row(database):
    rows = draw_table(database)
    there = [row for row in rows if row[3] is not None]
    got = database.rows("SELECT x.k, x.m - (SELECT avg(m) FROM t y WHERE y.g = x.g) AS d, (SELECT sum(y.v) FROM t y WHERE y.j < x.j) AS s, "
                        "(SELECT count(*) FROM t y WHERE y.v[1] > x.v[1]) AS n, (SELECT y.m FROM t y WHERE y.k = x.k + 1) AS next FROM t x ORDER BY x.k")
    for row, one in zip(rows, got):
        group = [other[4] for other in members(rows, 1, row[1])]
        less = [other[3] for other in there if other[2] < row[2]]
        assert np.allclose(one["d"], row[4] - np.mean(group, 0), rtol=1e-14)
        assert equal([one["s"], one["next"]], [sum(less) if less else None, rows[row[0] + 1][4] if row[0] + 1 < len(rows) else None])
        assert one["n"] == (0 if row[3] is None else sum(other[3][0] > row[3][0] for other in there))
    assert column(database.rows("SELECT k FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE y.v = x.v AND y.k < x.k) ORDER BY k"), "k") == [
        row[0] for row in there if any(key(other[3]) == key(row[3]) and other[0] < row[0] for other in there)]
    assert column(database.rows("SELECT k FROM t x WHERE j IN (SELECT y.j FROM t y WHERE dot(y.v, x.v) = 2 AND y.k <> x.k) ORDER BY k"), "k") == [
        row[0] for row in there if any(other[3] @ row[3] == 2 and other[2] == row[2] and other[0] != row[0] for other in there)]
    message = database.refused("SELECT v - (SELECT y.v FROM t y WHERE y.g = x.g) AS d FROM t x")
    assert "21000" in message and "several rows" in message
    database.run("UPDATE t SET m = m + (SELECT sum(y.m) FROM t y WHERE y.k < t.k) WHERE k > 0")
    assert equal(column(database.rows("SELECT m FROM t ORDER BY k"), "m"), np.cumsum([row[4] for row in rows], 0))


def test_windows_that_pick_tensors(database):
    rows = draw_table(database)
    got = database.rows("SELECT k, lag(v) OVER w AS a, v - lead(v, 2) OVER w AS b, first_value(m) OVER (PARTITION BY g ORDER BY k) AS c, "
                        "last_value(m) OVER (PARTITION BY g ORDER BY k) AS d, nth_value(m, 2) OVER (PARTITION BY g ORDER BY k) AS e, "
                        "row_number() OVER w AS n FROM t WHERE trace(m[:][1:2]) > -100 WINDOW w AS (ORDER BY k) ORDER BY k")
    for place, (row, one) in enumerate(zip(rows, got)):
        before = rows[place - 1][3] if place else None
        behind = rows[place + 2][3] if place + 2 < len(rows) else None
        group = [other for other in members(rows, 1, row[1]) if other[0] <= row[0]]
        assert equal([one["a"], one["b"], one["c"], one["d"], one["e"]], [
            before, None if row[3] is None or behind is None else row[3] - behind, group[0][4], row[4],
            group[1][4] if len(group) > 1 else None])
        assert one["n"] == place + 1


FRAMES = {"PARTITION BY g": lambda row, other: other[1] == row[1],
          "": lambda row, other: True,
          "ORDER BY j": lambda row, other: other[2] <= row[2],
          "PARTITION BY g ORDER BY j DESC": lambda row, other: other[1] == row[1] and other[2] >= row[2],
          "ORDER BY k ROWS BETWEEN 2 PRECEDING AND CURRENT ROW": lambda row, other: row[0] - 2 <= other[0] <= row[0],
          "ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING": lambda row, other: other[0] >= row[0],
          "ORDER BY k ROWS BETWEEN 3 FOLLOWING AND 4 FOLLOWING": lambda row, other: row[0] + 3 <= other[0] <= row[0] + 4,
          "ORDER BY j RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING": lambda row, other: abs(other[2] - row[2]) <= 1}


@pytest.mark.parametrize("frame", FRAMES)
def test_windows_that_merge_tensors(database, frame):
    rows = draw_table(database)
    got = database.rows(f"SELECT sum(v) OVER w AS a, max(m) OVER w AS b, avg(v + 1) OVER w AS c, count(v) OVER w AS n, "
                        f"v - min(v) OVER w AS d FROM t WINDOW w AS ({frame}) ORDER BY k")
    for row, one in zip(rows, got):
        there = [other[3] for other in rows if FRAMES[frame](row, other) and other[3] is not None]
        matrices = [other[4] for other in rows if FRAMES[frame](row, other)]
        assert one["n"] == len(there)
        assert equal([one["a"], one["b"]], [sum(there) if there else None, np.max(matrices, 0) if matrices else None])
        assert np.allclose(one["c"], np.mean(there, 0) + 1, rtol=1e-15) if there else one["c"] is None
        assert equal([one["d"]], [row[3] - np.min(there, 0) if there and row[3] is not None else None])


def test_constructs_in_versions(database):
    database.run("CREATE TABLE w[0] (k, v) AS SELECT * FROM VALUES (1, ARRAY[1,2]), (2, ARRAY[3,5]), (3, ARRAY[1,2]);"
                 "CREATE TABLE w[i:1...] (k, v) AS SELECT k, v[1:2] - (SELECT min(v) FROM w[i-1]) + sum(v) OVER (ORDER BY k) FROM w[i-1];"
                 "CREATE TABLE d[i:0...] (v) AS SELECT DISTINCT v FROM w[i];"
                 "CREATE TABLE r[i:0...] (k, m) AS SELECT 1, array_agg(v ORDER BY k) FROM w[i]")
    values = np.array([[1, 2], [3, 5], [1, 2]])
    for step in range(3):
        assert np.array_equal(database.rows(f"SELECT m FROM r[{step}]")[0]["m"], values)
        assert sorted(map(key, column(database.rows(f"SELECT v FROM d[{step}]"), "v"))) == sorted(set(map(key, values)))
        values = values - values.min(0) + np.cumsum(values, 0)


def test_no_rows(database):
    database.run("CREATE TABLE t(k int, v vector[2])")
    for text in ["DISTINCT v", "v, lag(v) OVER (ORDER BY k) AS l", "sum(v) OVER (ORDER BY k) AS s", "unnest(v) AS x", "v[k] AS x",
                 "v - (SELECT avg(v) FROM t) AS d"]:
        assert database.rows(f"SELECT {text} FROM t") == []
    assert database.rows("SELECT v FROM t GROUP BY v") == [] and database.rows("SELECT v FROM t UNION SELECT v FROM t") == []


@pytest.mark.parametrize("query", ["SELECT DISTINCT v FROM t", "SELECT g, array_agg(k) FILTER (WHERE k < 0) AS a FROM t GROUP BY g",
                                   "SELECT unnest(m) FROM t", "SELECT sum(v) OVER (ORDER BY k) FROM t", "SELECT v FROM t EXCEPT SELECT v FROM t",
                                   "SELECT v - (SELECT avg(v) FROM t) FROM t", "SELECT m[1:2][2] FROM t"])
def test_explain(database, query):
    draw_table(database)
    for option in ["", "ANALYZE "]:
        done = database.call(f"EXPLAIN {option}{query}")
        assert done.exit_code == 0 and "key part (SQLite)" in done.stdout, done.describe()


def test_dtypes_of_columns_and_tensors(database):
    database.run("CREATE TABLE t(k int, x double precision, w vector(i64)[2], b vector(i8)[2], f vector(f32)[2]);"
                 "INSERT INTO t VALUES (300, 1.5, '{1,2}', '{3,4}', '{5,6}');"
                 "CREATE TABLE made AS SELECT w + k AS a, b * k AS b, f * k AS c, w * x AS d, b * 2 AS e, w + k * 2 AS f, w - (k > 1) AS g FROM t")
    types = {row[0]: row[1] for row in (line.split("|")[:2] for line in TESSERA.call("sql", database.folder, "-c", "\\d made").stdout.splitlines()
                                        if "|" in line) for row in [[part.strip() for part in row]]}
    assert types == {"Column": "Type", "a": "vector(i64)[2]", "b": "vector(i64)[2]", "c": "vector(f32)[2]", "d": "vector[2]", "e": "vector(i64)[2]",
                     "f": "vector(i64)[2]", "g": "vector(i64)[2]"}
    assert database.rows("SELECT b, f FROM made") == [{"b": [900, 1200], "f": [601, 602]}]


def test_types_of_no_rows(database):
    database.run("CREATE TABLE t(k int, x real, s text, q boolean, d date, v vector[2]); CREATE TABLE made AS SELECT k, x * k AS x, s || 'a' AS s, q, d, "
                 "count(*) AS n, avg(k) AS m, sum(v) AS v FROM t GROUP BY k, x, s, q, d; CREATE TABLE scalars AS SELECT t.k + 1 AS a, y.s, y.x FROM t, t y")
    text = TESSERA.call("sql", database.folder, "-c", "\\d made", "-c", "\\d scalars").stdout
    assert [line.split("|")[1].strip() for line in text.splitlines() if "|" in line and "Column" not in line] == [
        "integer", "double precision", "text", "boolean", "date", "integer", "double precision", "vector[2]", "integer", "text", "double precision"]


@pytest.mark.parametrize("statement, said, below", [
    ("INSERT INTO t VALUES (1, '{1,2}', '{1}'), (2, '{1,300}', '{1}')", "22003: row 2: 300 at [2] is no i8, of which column b of t is", "'{1,300}'"),
    ("INSERT INTO t(b) VALUES (ARRAY[1,-129])", "22003: row 1: -129 at [2]", "ARRAY[1,-129]"),
    ("UPDATE t SET b = '{1.5,0}'", "22003: 1.5 at [1] is no i8", "'{1.5,0}'"),
    ("INSERT INTO t VALUES (1, '{1,2}', '{1}'), (2, '{1}', '{1}')", "row 2: column b of t is a vector(i8)[2], and a vector[1] is given", "'{1}'"),
    ("INSERT INTO t(o, k) SELECT ones(2), 1", "column o of t is a vector[1], and a vector[2] is given", "ones(2)"),
    ("UPDATE t SET k = 2, o = b", "column o of t is a vector[1], and a vector[2] is given", "b"),
    ("INSERT INTO u VALUES ('{1}'), ('{1,2}')", "row 2 has a vector[2] in column 1 of VALUES, and a row before it a vector[1]", "'{1,2}'")])
def test_arrays_that_do_not_fit(database, statement, said, below):
    database.run("CREATE TABLE t(k int, b vector(i8)[2], o vector[]); INSERT INTO t VALUES (1, '{-128,127}', '{1}'); CREATE TABLE u(o vector[])")
    message = database.refused(statement)
    assert said in message
    _, shown, carets = message.splitlines()[:3]
    assert shown[carets.index("^"):carets.rindex("^") + 1] == below


@pytest.mark.parametrize("statement, said, below", [
    ("INSERT INTO n(b) SELECT w FROM t ORDER BY k", "22003: row 3: 300 at [2] is no i8, of which column b of n is", "w"),
    ("INSERT INTO n(u) SELECT w FROM t ORDER BY k DESC", "22003: row 4: -7 at [1] is no u64, of which column u of n is", "w"),
    ("INSERT INTO n(b) SELECT f * 2 FROM t WHERE k < 3", "22003: row 2: 1.5 at [2] is no i8", "f * 2"),
    ("UPDATE t SET w = ARRAY[0, -9007199254740993e0]", "-9007199254740992 at [2] may be rounded: write all digits of the i64", "ARRAY[0, -9007199254740993e0]"),
    ("UPDATE t SET w = f / 0", "22003: row 1: inf at [1] is no i64", "f / 0")])
def test_computed_numbers_that_do_not_fit(database, statement, said, below):
    database.run("CREATE TABLE n(b vector(i8)[2], u vector(u64)[2], h vector(i16)[2]); CREATE TABLE t(k int, w vector(i64)[2], f vector[2]);"
                 "INSERT INTO t VALUES (1, '{-7,1}', '{4,2}'), (2, NULL, '{1,0.75}'), (3, '{5,300}', NULL), (4, '{1,2}', '{1,1}')")
    message = database.refused(statement)
    assert said in message
    _, shown, carets = message.splitlines()[:3]
    assert shown[carets.index("^"):carets.rindex("^") + 1] == below
    assert database.rows("SELECT count(*) AS n FROM n") == [{"n": 0}]
    database.run("INSERT INTO n(b, h) SELECT f * 4, w * 100 FROM t WHERE k IN (1, 2, 4) ORDER BY k")
    assert database.rows("SELECT b, h FROM n") == [{"b": [16, 8], "h": [-700, 100]}, {"b": [4, 3], "h": None}, {"b": [4, 4], "h": [100, 200]}]


def test_complex_numbers(database):
    database.run("CREATE TABLE t(z vector(c128)[2]); INSERT INTO t VALUES ('{1,-2}')")
    assert database.rows("SELECT z, z[2] AS x FROM t") == [{"z": ["1+0j", "-2+0j"], "x": "-2+0j"}]
    assert TESSERA.call("sql", database.folder, "--csv", "-c", "SELECT z FROM t").stdout == 'z\n"{1+0j,-2+0j}"\n'


def test_archives_of_arrays(database, tmp_path):
    k, v, m = np.arange(5) * 3, drawn((5, 3)), drawn((5, 2, 2), 1).astype("float32")
    np.savez(tmp_path / "in.npz", k=k, v=v, m=m, other=np.zeros(2))
    database.run(f"CREATE TABLE t(k int, v vector[3], m matrix(f32)[][], s text); COPY t(k, m, v) FROM '{tmp_path}/in.npz'")
    got = database.rows("SELECT * FROM t ORDER BY k")
    assert column(got, "k") == k.tolist() and equal(column(got, "v"), v) and equal(column(got, "m"), m) and column(got, "s") == [None] * 5
    database.run(f"COPY (SELECT k, k * 0.5 AS half, v + 1 AS v, m FROM t ORDER BY k DESC) TO '{tmp_path}/out.npz'")
    with np.load(tmp_path / "out.npz") as made:
        assert sorted(made.files) == ["half", "k", "m", "v"] and made["k"].dtype == np.int64 and made["m"].dtype == np.float32
        assert np.array_equal(made["k"], k[::-1]) and np.array_equal(made["half"], k[::-1] / 2)
        assert np.array_equal(made["v"], v[::-1] + 1) and np.array_equal(made["m"], m[::-1])
    database.run(f"CREATE TABLE one(v vector[3]); COPY one FROM '{tmp_path}/out.npz:v'")
    assert equal(column(database.rows("SELECT v FROM one"), "v"), v[::-1] + 1)
    assert "has no array s" in database.refused(f"COPY t FROM '{tmp_path}/in.npz'")
    assert "rows for other" in database.refused(f"CREATE TABLE u(v vector[], other int); COPY u FROM '{tmp_path}/in.npz'")
    assert "column s is NULL in 5 of 5 rows" in database.refused(f"COPY t TO '{tmp_path}/no.npz'")
    assert "holds one column, not 2" in database.refused(f"COPY t(k, v) TO '{tmp_path}/no.npy'")
    database.run("UPDATE t SET v = NULL WHERE k = 3")
    assert "column v is NULL in some rows" in database.refused(f"COPY t(k, v) TO '{tmp_path}/no.npz'")


def test_files_of_extreme_classification(database, tmp_path):
    text = "3 5 4\n0,2 1:0.5 4:2\n3:1\n1\n"
    (tmp_path / "in.txt").write_text(text)
    database.run(f"CREATE TABLE points(row int, labels vector(i8)[], features vector[]); COPY points FROM '{tmp_path}/in.txt' (FORMAT xc);"
                 f"CREATE TABLE entries(row int, feature int, value real); COPY entries FROM '{tmp_path}/in.txt' (FORMAT xc);"
                 f"CREATE TABLE targets(label int, row int); COPY targets FROM '{tmp_path}/in.txt' (FORMAT xc)")
    features, labels = [[0, .5, 0, 0, 2], [0, 0, 0, 1, 0], [0] * 5], [[1, 0, 1, 0], [0] * 4, [0, 1, 0, 0]]
    got = database.rows("SELECT * FROM points ORDER BY row")
    assert column(got, "row") == [1, 2, 3] and column(got, "features") == features and column(got, "labels") == labels
    assert database.rows("SELECT row, feature, value FROM entries") == [
        {"row": 1, "feature": 2, "value": .5}, {"row": 1, "feature": 5, "value": 2}, {"row": 2, "feature": 4, "value": 1}]
    assert database.rows("SELECT row, label FROM targets") == [{"row": 1, "label": 1}, {"row": 1, "label": 3}, {"row": 3, "label": 2}]
    assert column(database.rows("SELECT vectorize(value, feature, 5) AS f FROM entries GROUP BY row ORDER BY row"), "f") == features[:2]
    database.run(f"COPY points TO '{tmp_path}/out.txt' (FORMAT xc)")
    assert (tmp_path / "out.txt").read_text() == "3 5 4\n0,2 1:0.5 4:2\n 3:1\n1\n"
    for wrong, said in {"3 5\n": ":1: not in the format", "1 5 4\n7 1:2\n": ":2: 7 is none of 4", "1 5 4\n0 1-2\n": ":2: not in the format",
                        "2 5 4\n0 1:2\n": "has 1 points, and says that there are 2", "1 5 4\n0 1:2\n1 1:2\n": ":3: more than the 1 points", "": "not in the format"}.items():
        (tmp_path / "wrong.txt").write_text(wrong)
        assert said in database.refused(f"COPY entries FROM '{tmp_path}/wrong.txt' (FORMAT xc)"), wrong
    assert "a row is a point" in database.refused(f"COPY targets(row) FROM '{tmp_path}/in.txt' (FORMAT xc)")
    assert "made of the vectors features and labels" in database.refused(f"COPY entries TO '{tmp_path}/no.txt' (FORMAT xc)")


@pytest.mark.parametrize("first, step, wanted", [
    ("v::f32 AS v FROM t", "v::f64 / 3", [[3.0], [1.0], [1 / 3]]),  # so 1/3 is one of f64 in each
    ("v::f64 AS v FROM t", "v::i8", [[3.0], [3.0], [3.0]]),
    ("v::i8 AS v FROM t", "v + 100 * v::i16", [[3], [303], [30603]]),
    ("v::b1 AS v FROM t", "v + v::u8", [[1], [2], [4]]),
])
def test_a_recursion_has_the_dtypes_that_hold_both_queries(database, first, step, wanted):
    database.run("CREATE TABLE t(v vector[1]); INSERT INTO t VALUES ('{3}')")
    rows = database.rows(f"WITH RECURSIVE r AS (SELECT 0 AS i, {first} UNION ALL SELECT i + 1, {step} FROM r WHERE i < 2) SELECT * FROM r")
    assert rows == [{"i": i, "v": value} for i, value in enumerate(wanted)]


def test_a_recursion_without_equal_rows_may_widen_them(database):
    database.run("CREATE TABLE t(v vector[1]); INSERT INTO t VALUES ('{1}')")
    rows = database.rows("WITH RECURSIVE r AS (SELECT v::i8 AS v FROM t UNION SELECT (v + 0.5) % 2 FROM r) SELECT v FROM r")
    assert [row["v"] for row in rows] == [[1], [1.5], [0], [0.5]]


@pytest.mark.parametrize("query, rows", [
    ("SELECT z + 1 AS x, 2 * u AS y FROM t AS one(z, u) ORDER BY z", [[2, [2, 2]], [3, [10, 2]]]),
    ("SELECT k AS x, (SELECT sum(u) FROM t AS one(z, u) WHERE z <= t.k) AS y FROM t ORDER BY k", [[1, [1, 1]], [2, [6, 2]]]),
    ("SELECT k AS x, v AS y FROM t WHERE v IN (SELECT u FROM t AS one(z, u) WHERE z = 2)", [[2, [5, 1]]]),
    ("WITH RECURSIVE r(x, y) AS (SELECT 1, v FROM t WHERE k = 1 UNION ALL SELECT z + 1, 2 * u FROM r AS one(z, u) WHERE z < 3) SELECT x, y FROM r",
     [[1, [1, 1]], [2, [2, 2]], [3, [4, 4]]]),
    ("WITH RECURSIVE r(x, y) AS (SELECT 1, ARRAY[1,2] UNION SELECT z + 1, 2 * u FROM r AS one(z, u) WHERE z < 2) SELECT x, y FROM r",
     [[1, [1, 2]], [2, [2, 4]]])])
def test_columns_of_tensors_under_other_names(database, query, rows):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{1,1}'), (2, '{5,1}')")
    assert [[row["x"], row["y"]] for row in database.rows(query)] == rows

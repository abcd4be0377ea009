"""SQL between rows and tensors, beside numpy and SQLite: slices, tensors of rows, rows of tensors, equal tensors, windows."""
import numpy as np
import pytest

from test_sql import array, database, drawn  # noqa: F401 (a fixture)


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

"""COPY from and to files: arrays, archives of arrays and CSV, beside numpy."""
import math
import random

import numpy as np

from test_sql import TESSERA, database, drawn  # noqa: F401 (a fixture)


def equal(got, wanted):
    """True if a column has these values, None for NULL."""
    return len(got) == len(wanted) and all(
        (one is None) == (other is None) and (one is None or np.array_equal(one, other)) for one, other in zip(got, wanted))


def column(rows, name):
    return [row[name] for row in rows]


def test_files(database, tmp_path):
    vectors = drawn((5, 3)).astype(np.float32)
    np.save(tmp_path / "v.npy", vectors)
    database.run(f"CREATE TABLE t(v vector(f32)[3]); COPY t(v) FROM '{tmp_path}/v.npy'")
    database.run(f"COPY (SELECT v * 2 FROM t) TO '{tmp_path}/w.npy'; COPY t TO '{tmp_path}/t.csv'")
    assert np.array_equal(np.load(tmp_path / "w.npy"), vectors * 2)
    database.run(f"CREATE TABLE u(v vector[3]); COPY u FROM '{tmp_path}/t.csv'")
    assert np.array_equal([row["v"] for row in database.rows("SELECT v FROM u")], vectors)
    (tmp_path / "k.csv").write_text('k,name\n1,"a, ""b"""\n2,\n')
    database.run(f"CREATE TABLE k(k int, name text); COPY k FROM '{tmp_path}/k.csv' (FORMAT csv, HEADER)")
    assert database.rows("SELECT * FROM k") == [{"k": 1, "name": 'a, "b"'}, {"k": 2, "name": None}]
    (tmp_path / "bad.csv").write_text('"{1,2,3}"\n"{1,x,3}"\n')
    assert "bad.csv:2: column v: '{1,x,3}' is no array of numbers" in database.refused(f"COPY u FROM '{tmp_path}/bad.csv'")
    (tmp_path / "complex.csv").write_text('"{1+2j,3}"\n')
    assert "complex numbers in the text of an array, '{1+2j,3}': COPY them from an .npy" in database.refused(
        f"CREATE TABLE c(v vector(c64)[2]); COPY c FROM '{tmp_path}/complex.csv'")
    np.save(tmp_path / "k.npy", np.arange(3))
    assert "column v of u is a vector[3], and a scalar is given" in database.refused(f"COPY u FROM '{tmp_path}/k.npy'")


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


def test_a_file_that_copy_wrote_is_read_again(database, tmp_path):
    """Drawn records, with what needs quotes in it; the file begins with a byte order mark, as spreadsheets write it."""
    draw = random.Random(5)
    texts = ["", "a", "x,y", 'he said "no"', "two\nlines", "end\r", " blanks ", "NaN", "inf", "é", "'"]
    numbers = ["9e999", "-9e999", "NULL", "0.1", "-0.0", "1e-310", "123456789012345678", "5e-324", "1.5"]
    values = ", ".join("({}, {}, {})".format(
        draw.choice(["NULL", "'" + draw.choice(texts).replace("'", "''") + "'"]), draw.choice(numbers), draw.randrange(-2**63, 2**63))
        for _ in range(200))
    database.run(f"CREATE TABLE t(s text, x double precision, k bigint); INSERT INTO t VALUES {values}; COPY t TO '{tmp_path}/o.csv'")
    (tmp_path / "m.csv").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "o.csv").read_bytes())
    database.run(f"CREATE TABLE u(s text, x double precision, k bigint); COPY u FROM '{tmp_path}/m.csv'")
    assert database.rows("SELECT count(*) AS n FROM t, u WHERE t.rowid = u.rowid AND t.s IS NOT DISTINCT FROM u.s AND t.x IS NOT DISTINCT FROM u.x "
                         "AND t.k = u.k") == [{"n": 200}]


def test_marks_are_skipped_in_scripts_and_tables_of_numbers(tmp_path):
    (tmp_path / "s.sql").write_bytes(b"\xef\xbb\xbfSELECT 7 AS a;\n")
    done = TESSERA.call("sql", tmp_path / "db", "--csv", "-f", tmp_path / "s.sql")
    assert done.stdout == "a\n7\n", done.describe()
    (tmp_path / "p.csv").write_text(",a,b\n0,1.5,2\n1,3,4\n")
    (tmp_path / "p.ein").write_text("input x[i,j]\nY[j] = sum[i] x[i,j]\n")
    done = TESSERA.call("run", tmp_path / "p.ein", f"x={tmp_path}/p.csv")
    assert "[  1 4.5   6]" in done.stdout, done.describe()
    (tmp_path / "p.csv").write_text('"1","2"\n')
    assert "numbers stand without quotes" in TESSERA.call("run", tmp_path / "p.ein", f"x={tmp_path}/p.csv").stderr


def test_null_in_arrays(database, tmp_path):
    database.run("CREATE TABLE t(x double precision); INSERT INTO t VALUES (1), (NULL), (3)")
    assert "column x is NULL in 1 of 3 rows" in database.refused(f"COPY t TO '{tmp_path}/x.npy'")
    database.run(f"COPY t TO '{tmp_path}/x.npy' WITH (NULL 'NaN')")
    assert np.array_equal(np.load(tmp_path / "x.npy"), [1, math.nan, 3], equal_nan=True)

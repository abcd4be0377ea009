"""What is gathered from files, read where it lies, beside numpy. Integers, so all is exact."""
import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
OPTIONS = [[], ["--workers", "2"], ["--sites", "3"], ["--tile", "n=7,e=2"], ["--reproducible"], ["--frame-tasks", "4"],
           ["--rules-off", "gather_from_source"]]


def integers(high, *shape, seed=0):
    return np.random.default_rng([seed, *shape]).integers(0, high, shape)


TABLES = {"i1": lambda T: T.astype("i1"), "bool": lambda T: T > 3, "f2": lambda T: T.astype("f2"), "big-endian": lambda T: T.astype(">i4"),
          "c8": lambda T: T.astype("c8"), "column-major": np.asfortranarray}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("table", TABLES)
def test_rows_of_every_kind(tmp_path, options, table):
    T, I = TABLES[table](integers(9, 4000, 6)), integers(4000, 33)
    I[5:9] = range(70, 74)  # which follow each other in the file
    text = "input T[v,e], I[n]\nY[n,e] = T[I[n], e]\nfirst[n] = T[I[n], 0]\noutput Y, first"
    rows, first = run(tmp_path, text, ["Y", "first"], options, T=T, I=I)
    np.testing.assert_array_equal(rows, T[I])
    np.testing.assert_array_equal(first, T[I, 0])


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8"])
def test_a_mode_in_the_middle(tmp_path, options, dtype):
    T, J, G = integers(9, 2, 3000, 3), integers(100, 5, 2).astype(dtype), integers(4, 5)
    text = """input T[b,v,e], J[n,m], G[n]
        Y[b,n,m,e] = T[b, J[n,m], e]
        Z[e,m,b] = sum[n] T[b, J[n,m], e] * T[b, J[n,m], e]
        S[G[n] of 4, e] = sum[n,b,m] T[b, J[n,m], e]
        output Y, Z, S"""
    y, z, s = run(tmp_path, text, ["Y", "Z", "S"], options, T=T, J=J, G=G)
    gathered = T[:, J]
    sums = np.zeros((4, 3), int)
    np.add.at(sums, G, gathered.sum((0, 2)))
    np.testing.assert_array_equal(y, gathered)
    np.testing.assert_array_equal(z, (gathered ** 2).sum(1).transpose(2, 1, 0))
    np.testing.assert_array_equal(s, sums)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_two_tables_and_fixed_places(tmp_path, options):
    T, I, J = integers(9, 3, 40, 50, 4), integers(40, 33), integers(50, 33, seed=1)
    I[5:9], J[5:9] = 7, range(20, 24)  # which follow each other in the file
    text = """input T[a,u,v,e], I[n], J[n]
        Y[a,n,e] = T[a, I[n], J[n], e]
        Z[n,v] = T[2, I[n], v, 1]
        S[n] = sum[e] T[0, I[n], (I[n] + J[n]) % 50, e] * T[1, I[n], J[n], e]
        output Y, Z, S"""
    y, z, s = run(tmp_path, text, ["Y", "Z", "S"], options, T=T, I=I, J=J)
    np.testing.assert_array_equal(y, T[:, I, J])
    np.testing.assert_array_equal(z, T[2, I, :, 1])
    np.testing.assert_array_equal(s, (T[0, I, (I + J) % 50] * T[1, I, J]).sum(1))


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("num_rows", [3, 40])
def test_positions_of_the_largest_of_each_row(tmp_path, options, num_rows):
    T, I = integers(90, 4000, 7), integers(4000, num_rows)
    text = "input T[v,e], I[n]\nL[n] = argmax[e] T[I[n], e]\nS[n] = argmin[e] T[I[n], e]\noutput L, S"
    largest, smallest = run(tmp_path, text, ["L", "S"], options, T=T, I=I)
    np.testing.assert_array_equal(largest, T[I].argmax(1))
    np.testing.assert_array_equal(smallest, T[I].argmin(1))


@pytest.mark.parametrize("num_rows", [0, 1])
def test_few_rows(tmp_path, num_rows):
    T, I = integers(9, 4000, 6), integers(4000, num_rows)
    rows, = run(tmp_path, "input T[v,e], I[n]\nY[n,e] = T[I[n], e]\noutput Y", ["Y"], [], T=T, I=I)
    np.testing.assert_array_equal(rows, T[I])


LARGE = {"T[I[n], e]": ((400_000, 20), lambda T, I, J: T[I]), "T[1, I[n], e]": ((2, 200_000, 20), lambda T, I, J: T[1, I]),
         "T[J[n], I[n], e]": ((2, 200_000, 20), lambda T, I, J: T[J, I])}


# Each worker maps 4 MiB of the file at a time, which are part of the resident set.
@pytest.mark.parametrize("read", LARGE)
def test_a_table_larger_than_the_memory(tmp_path, read):
    shape, rows = LARGE[read]
    T, I, J = integers(100, *shape).astype("f4"), integers(shape[-2], 2000), integers(2, 2000)
    for name, array in {"T": T, "I": I, "J": J}.items():
        np.save(tmp_path / f"{name}.npy", array)
    modes = "v,e" if T.ndim == 2 else "u,v,e"
    (tmp_path / "rows.ein").write_text(f"input T[{modes}], I[n], J[n]\nY[n,e] = {read}\nK[n] = J[n] + 1\noutput Y, K")
    done, resident = TESSERA.call_measured("run", "rows.ein", "T=T.npy", "I=I.npy", "J=J.npy", "-o", "Y=Y.npy", "-o", "K=K.npy",
                                           "--memory", "128KiB", "--workers", "2", "--quiet", folder=tmp_path)
    assert done.exit_code == 0, done.describe()
    np.testing.assert_array_equal(np.load(tmp_path / "Y.npy"), rows(T, I, J))
    nothing, alone = TESSERA.call_measured("functions", "sum", folder=tmp_path)
    assert nothing.exit_code == 0 and resident < alone + T.nbytes / 2, (resident, alone)


@pytest.mark.parametrize("entry, says", [(4000, "4000"), (-1, "-1")])
@pytest.mark.parametrize("options", [[], ["--sites", "2"], ["--rules-off", "gather_from_source"]], ids=" ".join)
def test_an_entry_that_names_no_row(tmp_path, options, entry, says):
    I = integers(4000, 9, 2)
    I[7, 1] = entry
    np.save(tmp_path / "T.npy", integers(9, 4000, 6))
    np.save(tmp_path / "I.npy", I)
    (tmp_path / "rows.ein").write_text("input T[v,e], I[n,m]\nY[n,m,e] = T[I[n,m], e]\noutput Y")
    done = TESSERA.call("run", "rows.ein", "T=T.npy", "I=I.npy", *options, folder=tmp_path)
    assert done.exit_code == 1, done.describe()
    assert f"an index of T is {says} where n = 7, m = 1, but mode 1 of T has the positions 0 to 3999" in done.stderr


def test_several_processes_read_rows_of_their_own(tmp_path):
    T, I = integers(9, 4000, 6), integers(4000, 50)
    text = "input T[v,e], I[n]\nY[n,e] = T[I[n], e]\noutput Y"
    rows, = TESSERA.under_mpirun(3).values_of(tmp_path, text, ["Y"], [], T=T, I=I)
    np.testing.assert_array_equal(rows, T[I])


@pytest.mark.parametrize("options", [*OPTIONS, ["--tile", "p=4,n=3"], ["--kernel", "reference"]], ids=" ".join)
def test_modes_are_joined_and_go_around(options, tmp_path):
    """By whole rows of what is joined and by parts of them, of more modes, with others beside."""
    M, T, X = integers(9, 7, 5), integers(9, 3, 2, 4, 2), integers(9, 11, 3)
    text = """input M[a,b], T[c,d,f,g], X[n,e]
        label k = 11
        J[p of 35] = 2 * M[p // 5, p % 5]
        L[g,p of 24] = T[p // 8, p // 4 % 2, p % 4, g]
        P[p of 20] = M[(p + 5) // 5, p % 5]
        R[n,e] = X[(n - 4) % size(n), e] + X[(n + 3) % size(n), e]
        W[p of 33,e] = X[p % 11, e]
        S[p of 33,e] = X[p // 3, e] * 2
        C[k] = sum[n,e] X[(n + k) % size(n), e] * X[n, e]
        output J, L, P, R, W, S, C"""
    joined, several, part, around, tiled, repeated, circular = run(tmp_path, text, list("JLPRWSC"), options, M=M, T=T, X=X)
    assert np.array_equal(joined, 2 * M.ravel()) and np.array_equal(several, T.reshape(24, 2).T)
    assert np.array_equal(part, M.ravel()[5:25]) and np.array_equal(around, np.roll(X, 4, 0) + np.roll(X, -3, 0))
    assert np.array_equal(tiled, np.tile(X, (3, 1))) and np.array_equal(repeated, 2 * np.repeat(X, 3, 0))
    assert np.array_equal(circular, [(np.roll(X, -k, 0) * X).sum() for k in range(11)])


def test_a_joined_mode_that_is_left_is_named(tmp_path):
    text = "input M[a,b]\nY[n of 40] = 2 * M[n // 5, n % 5]\noutput Y\n"
    for kernel in ([], ["--kernel", "reference"]):
        said = TESSERA.message_of(tmp_path, text, *kernel, M=integers(9, 7, 5))
        assert "M" in said and "7" in said and "2:1" in said, said


def test_what_is_computed_first_is_gathered_in_a_quarter_of_its_bytes(tmp_path):
    """A mode of 20, which 16 pieces do not divide, is all that can be cut."""
    X, I = integers(100, 200_000, 20).astype("f8"), integers(200_000, 50_000)
    text = "input X[n,e], I[m]\nZ[n,e] = X[n,e] + 1\nY[m,e] = Z[I[m],e]\noutput Y"
    (rows,) = run(tmp_path, text, ["Y"], ["--memory", "8MiB"], X=X, I=I)
    np.testing.assert_array_equal(rows, X[I] + 1)


def test_what_is_kept_has_a_quarter_of_its_bytes(tmp_path):
    X, S = integers(100, 200_000, 20).astype("f8"), integers(2, 200_000)
    (rows,) = run(tmp_path, "input X[n,e], S[n]\nY[n,e] = keep[n where S[n] != 0] X[n,e]\noutput Y", ["Y"], ["--memory", "8MiB"],
                  X=X, S=S)
    np.testing.assert_array_equal(rows, X[S != 0])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "u8"])
def test_positions_are_computed_beyond_the_dtype_of_the_data(tmp_path, dtype):
    """A position within brackets does not wrap, however narrow the tensor is that it comes from."""
    draw = np.random.default_rng([7, np.dtype(dtype).itemsize])
    largest = min(int(np.iinfo(dtype).max), 300)
    I = draw.integers(0, largest, 40, endpoint=True).astype(dtype)
    I[:2] = largest, 0
    T, wide = integers(1000, 3 * largest + 900, seed=2), I.astype(int)
    text = f"""input T[t], I[n]
        Y[n] = T[I[n] + I[n] + 299]
        Z[n] = T[where(I[n] > 3, 2 * I[n] + 1, I[n])]
        K[n] = T[-(-I[n] - 5)]
        G[I[n] + I[n] of {2 * largest + 1}] = sum[n] 1
        H[I[n] + 1 of {largest + 2}] = sum[n where I[n] != 3] 1
        output Y, Z, K, G, H"""
    y, z, k, g, h = run(tmp_path, text, ["Y", "Z", "K", "G", "H"], T=T, I=I)
    np.testing.assert_array_equal(y, T[2 * wide + 299])
    np.testing.assert_array_equal(z, T[np.where(wide > 3, 2 * wide + 1, wide)])
    np.testing.assert_array_equal(k, T[wide + 5])
    np.testing.assert_array_equal(g, np.bincount(2 * wide, minlength=2 * largest + 1))
    np.testing.assert_array_equal(h, np.bincount(wide[wide != 3] + 1, minlength=largest + 2))


@pytest.mark.parametrize("dtype", ["i4", "u1", "u8"])
@pytest.mark.parametrize("options", [[], ["--kernel", "reference"], ["--sites", "3"], ["--tile", "n=2"], ["--reproducible"]], ids=" ".join)
def test_a_condition_keeps_a_gather_from_nothing_from_failing(tmp_path, options, dtype):
    text = """input c[n], I[n], X[m], M[k,e]
        Y[n] = where(c[n], X[I[n]], -1)
        Z[n] = where(c[n], X[I[n] + 1], 2) + f64(c[n] and X[I[n]] > 0)
        S = sum[n where c[n]] X[I[n]]
        R[n,e] = where(c[n], M[I[n], e], 3)
        output Y, Z, S, R"""
    empty = {"I": integers(9, 5).astype(dtype), "X": np.zeros(0), "M": np.zeros((0, 2), "f4")}
    y, z, s, r = run(tmp_path, text, ["Y", "Z", "S", "R"], options, c=np.zeros(5, bool), **empty)
    assert list(y) == [-1] * 5 and list(z) == [2] * 5 and s == 0 and r.tolist() == [[3, 3]] * 5
    said = TESSERA.message_of(tmp_path, text, *options, c=np.arange(5) == 3, **empty)
    assert "n = 3" in said and "has no position" in said, said

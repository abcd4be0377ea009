"""Tensors of several parts, beside numpy: concat, and statements that write a part each. Integers, so all is exact."""
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
OPTIONS = [[], ["--workers", "2"], ["--sites", "2"], ["--sites", "3", "--planner", "two-phase"], ["--reproducible"],
           ["--pieces", "4"], ["--pieces", "3", "--sites", "3"], ["--kernel", "reference"]]


def integers(*shape):
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "complex64"])
def test_parts_of_every_kind(tmp_path, options, dtype):
    a, m, n = integers(5).astype(dtype), integers(4, 3).astype(dtype), integers(2, 3).astype(dtype)
    text = """input a[j], M[i,k], N[p,k]
        rows[r,k] = concat[r](M[r,k], N[r,k])
        columns[i,c] = concat[c](M[i,c], M[i,c])
        computed[r,k] = concat[r](M[r,k] * M[r,k], where(index(k) == 0, N[r,k], N[r,k]))
        stacked[s,k] = concat[s](M[0,k], N[1,k], M[3,k])
        backwards[r] = concat[r](a[size(r)-1-r], a[r])
        Z[2*r] = a[r]
        Z[2*r + 1] = a[size(r)-1-r]
        output rows, columns, computed, stacked, backwards, Z"""
    rows, columns, computed, stacked, backwards, z = run(
        tmp_path, text, ["rows", "columns", "computed", "stacked", "backwards", "Z"], options, a=a, M=m, N=n)
    for got, wanted in [(rows, np.concatenate([m, n])), (columns, np.concatenate([m, m], 1)),
                        (computed, np.concatenate([m * m, n])), (stacked, np.stack([m[0], n[1], m[3]])),
                        (backwards, np.concatenate([a[::-1], a])), (z, np.stack([a, a[::-1]], 1).ravel())]:
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("lengths", [(0, 0), (0, 3), (3, 0), (1, 1), (7, 2, 0, 5), (33, 31)], ids=str)
def test_lengths_of_parts(tmp_path, options, lengths):
    parts = [integers(length, 2) for length in lengths]
    inputs = {f"x{number}": part for number, part in enumerate(parts)}
    heads = ", ".join(f"{name}[i{name}, j]" for name in inputs)
    joined = ", ".join(f"{name}[i,j]" for name in inputs)
    text = f"""input {heads}
        Y[i,j] = concat[i]({joined})
        running[i,j] = cumsum[i] concat[i]({joined}, 1)
        total[j] = sum[i] concat[i]({joined})
        output Y, running, total"""
    y, running, total = run(tmp_path, text, ["Y", "running", "total"], options, **inputs)
    whole = np.concatenate(parts)
    np.testing.assert_array_equal(y, whole)
    np.testing.assert_array_equal(running, np.cumsum(np.concatenate([whole, np.ones((1, 2), int)]), 0))
    np.testing.assert_array_equal(total, whole.sum(0))


def test_a_part_has_its_own_label(tmp_path):
    text = """input x[i], y[j]
        Z[i] = concat[i](0, index(i) * x[i], size(i) * y[i], sum[i] x[i], cumsum[i] y[i])"""
    x, y = integers(4), integers(3)
    [z] = run(tmp_path, text, ["Z"], x=x, y=y)
    np.testing.assert_array_equal(z, np.concatenate([[0], np.arange(4) * x, 3 * y, [x.sum()], np.cumsum(y)]))


def drawn_writes(draw):
    """Statements that write every element of a tensor once, and what they make."""
    text, inputs, blocks, begin = [], {}, [], 0
    for block in range(draw.randint(1, 3)):
        stride, length = draw.randint(1, 4), draw.randint(1, 6)
        whole = np.zeros((stride * length, 3), int)
        for residue in range(stride):
            name = f"x{block}_{residue}"
            inputs[name] = np.array([[draw.randint(-9, 9) for _ in range(3)] for _ in range(length)])
            is_backward = draw.random() < 0.3
            whole[residue::stride] = inputs[name][::-1] if is_backward else inputs[name]
            place = f"{begin + residue + (length - 1) * stride} - {stride}*i" if is_backward else f"{begin + residue} + {stride}*i"
            text.append(f"Y[{place}, k] = {name}[i,k]")
        blocks.append(whole)
        begin += stride * length
    draw.shuffle(text)
    heads = [f"input {name}[n{name}, k]" for name in inputs]
    return "\n".join(heads + text), inputs, np.concatenate(blocks)


@pytest.mark.parametrize("seed", range(24))
def test_drawn_writes(tmp_path, seed):
    draw = random.Random(seed)
    text, inputs, wanted = drawn_writes(draw)
    [got] = run(tmp_path, text, ["Y"], OPTIONS[seed % len(OPTIONS)], **inputs)
    np.testing.assert_array_equal(got, wanted, err_msg=text)


def test_a_board_is_written_by_four_statements(tmp_path):
    text = """input M[i,j]
        C[2*i, 2*j] = M[i,j]
        C[2*i + 1, 2*j of 6] = 0
        C[2*i, 2*j + 1 of 6] = 1
        C[2*i + 1 of 4, 2*j + 1 of 6] = 2"""
    m = integers(2, 3)
    [c] = run(tmp_path, text, ["C"], M=m)
    wanted = np.empty((4, 6), int)
    wanted[::2, ::2], wanted[1::2, ::2], wanted[::2, 1::2], wanted[1::2, 1::2] = m, 0, 1, 2
    np.testing.assert_array_equal(c, wanted)


def test_a_part_may_read_what_stands_between(tmp_path):
    text = """input x[i]
        Y[2*i] = x[i]
        d[i] = 3 * x[i]
        Y[2*i + 1] = d[i]
        Z[i] = Y[i] + 1
        output Z"""
    x = integers(5)
    [z] = run(tmp_path, text, ["Z"], x=x)
    np.testing.assert_array_equal(z, np.stack([x, 3 * x], 1).ravel() + 1)


def test_a_number_of_places_still_groups(tmp_path):
    x = integers(4)
    [y] = run(tmp_path, "input x[i]\nY[2*i + 1 of 9] = sum[i] x[i]", ["Y"], x=x)
    wanted = np.zeros(9, int)
    wanted[1:9:2] = x
    np.testing.assert_array_equal(y, wanted)

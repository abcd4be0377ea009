"""Drawn programs give numpy's bits under every memory budget from the smallest one on, and below it are refused.

TESSERA_DRAWN_PROGRAMS is how many are drawn. The resident set of every run is at most its budget and 100 MiB.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile

import hypothesis
import numpy as np
import pytest

import command_line
import program_drawing

TESSERA = command_line.from_environment()
ALLOWANCE = command_line.ALLOWANCE


def types_of(program):
    return [f"{name}={program_drawing.DTYPES[str(array.dtype)]}[{','.join(map(str, array.shape))}]"
            for name, array in program.arrays.items()]


def figures(program, file, options):
    """The peak and the smallest budget that the plan states."""
    done = TESSERA.call("explain", file, *types_of(program), "--stage", "tasks", *options)
    assert done.exit_code == 0, done.describe()
    return map(int, re.match(r"tasks peak=(\d+) smallest_budget=(\d+)", done.stdout).groups())


def smallest_of_any_cuts(program, file, options):
    """The smallest budget that a refusal names."""
    done = TESSERA.call("explain", file, *types_of(program), "--memory", 1, *options)
    named = re.search(r"  help: --memory (\d+)\n$", done.stderr)
    assert done.exit_code == 1 and named, done.describe()
    return int(named[1])


def check_run(program, file, folder, budget, *options):
    outputs = [statement.name for statement in program.statements]
    done, results, resident = TESSERA.run_program_measured(file, program.arrays, outputs, folder, "--memory", budget, *options)
    assert done.exit_code == 0, f"{program.text()}\n{done.describe()}"
    for name, value in program.values().items():
        assert np.array_equal(results[name], value), f"{name} differs\n{program.text()}{done.describe()}"
    assert resident <= budget + ALLOWANCE, f"{resident} bytes are resident\n{done.describe()}"


def check_refused(program, file, folder, budget, smallest, *options):
    done, _ = TESSERA.run_program(file, program.arrays, [], folder, "--memory", budget, *options)
    assert done.exit_code == 1, done.describe()
    assert done.stderr.endswith(f"  help: --memory {smallest}\n"), done.describe()


@hypothesis.settings(max_examples=int(os.environ.get("TESSERA_DRAWN_PROGRAMS", 20)), deadline=None, derandomize=True,
                     suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(program_drawing.programs())
def test_every_budget_from_the_smallest_gives_the_bits_of_numpy(program):
    hypothesis.assume(program.tiles)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "drawn.ein"
        file.write_text("# Drawn.\n" + program.text())
        # The reference kernel's workspace is small: with it, budgets are about tiles.
        for options in (["--tile", program.tiles], ["--tile", program.tiles, "--kernel", "reference"]):
            peak, smallest = figures(program, file, options)
            check_run(program, file, folder, smallest, "--workers", 1, *options)
            check_run(program, file, folder, smallest, "--workers", 3, *options)
            check_run(program, file, folder, (peak + smallest) // 2, "--workers", 2, *options)
            check_refused(program, file, folder, smallest - 64, smallest, *options)
        # Where cuts are free, every number of workers has its smallest budget.
        for options in (["--workers", 1], ["--workers", 3, "--kernel", "reference"]):
            smallest = smallest_of_any_cuts(program, file, options)
            check_run(program, file, folder, smallest, *options)
            check_run(program, file, folder, 3 * smallest // 2, *options)
            check_refused(program, file, folder, smallest - 64, smallest, *options)


def layers(folder, *options):
    """Runs a program whose intermediates are many times its memory, all used again after the last is made."""
    file = folder / "layers.ein"
    file.write_text("input X[b,a], W[a,c]\n"
                    "H1[b,c] = sum[a] X[b,a] * W[a,c]\nH2[b,c] = sum[a] H1[b,a] * W[a,c]\nH3[b,c] = sum[a] H2[b,a] * W[a,c]\n"
                    "top = max[b,c] H3[b,c]\n"
                    "D3[a,c] = sum[b] H2[b,a] * (H3[b,c] - top)\nD2[a,c] = sum[b] H1[b,a] * (H2[b,c] - top)\n"
                    "D[a,c] = D3[a,c] + D2[a,c]\noutput D\n")
    draw = np.random.default_rng(0)
    arrays = {"X": draw.integers(-9, 10, (4096, 16)).astype("i8"), "W": draw.integers(-9, 10, (16, 16)).astype("i8")}
    done, results = TESSERA.run_program(file, arrays, ["D"], folder, "--tile", "b=256", "--workers", 2, "--analyze", *options)
    return done, results.get("D")


def test_labels_are_sliced_rather_than_spilled(tmp_path):
    file = tmp_path / "network.ein"
    file.write_text("input A[i,j], B[j,k], C[k,l], D[l,i,m]\n"
                    "T[i,k] = sum[j] A[i,j] * B[j,k]\nU[i,l] = sum[k] T[i,k] * C[k,l]\n"
                    "V[m] = sum[i,l] U[i,l] * D[l,i,m]\nW[k] = max[i] T[i,k]\nX[i] = max[k] T[i,k]\noutput V, W, X\n")
    draw = np.random.default_rng(0)
    extents = {"i": 2000, "j": 300, "k": 1500, "l": 1000, "m": 4}
    arrays = {name: draw.integers(-1, 2, [extents[label] for label in labels]).astype("f4")
              for name, labels in {"A": "ij", "B": "jk", "C": "kl", "D": "lim"}.items()}
    T = arrays["A"].astype("i4") @ arrays["B"].astype("i4")
    expected = {"V": np.einsum("il,lim->m", T @ arrays["C"].astype("i4"), arrays["D"]), "W": T.max(0), "X": T.max(1)}
    types = [f"{name}=f32[{','.join(map(str, array.shape))}]" for name, array in arrays.items()]
    for budget in (64, 8, 4, 2):  # T takes 11.4 MiB
        done, results, resident = TESSERA.run_program_measured(
            file, arrays, ["V", "W", "X"], tmp_path, "--memory", f"{budget}MiB", "--workers", 1, "--analyze", "--json")
        assert done.exit_code == 0, done.describe()
        # Below 8 MiB cuts are so fine that nothing is spilled without slices.
        is_sliced = budget == 8
        report = json.loads(done.stdout)
        [chosen] = [plan for plan in report["candidates"] if plan["fate"] == "chosen"]
        assert chosen["spilled_bytes"] == 0, done.describe()
        # Reading ahead, which takes at most a quarter of the budget, may push out as much.
        assert report["actual"]["bytes_spilled"] <= (budget << 20) / 4, done.describe()
        assert resident <= (budget << 20) + ALLOWANCE
        assert all(np.array_equal(results[name], value) for name, value in expected.items())
        why = TESSERA.call("explain", file, *types, "--memory", f"{budget}MiB", "--workers", 1, "--why", "T")
        assert ("i is sliced wherever it flows" in why.stdout) == is_sliced, why.describe()


def test_what_is_spilled_is_reported_and_leaves_no_file(tmp_path):
    enough, expected = layers(tmp_path)
    assert enough.exit_code == 0 and ", spilled" not in enough.stdout, enough.describe()
    spills = tmp_path / "spills"
    spills.mkdir()
    short, result = layers(tmp_path, "--memory", "256KiB", "--spill-dir", spills)
    assert short.exit_code == 0 and re.search(r", spilled [1-9]", short.stdout), short.describe()
    assert np.array_equal(result, expected)
    assert not list(spills.iterdir())


def test_a_spill_directory_that_is_missing_is_named(tmp_path):
    done, _ = layers(tmp_path, "--memory", "256KiB", "--spill-dir", tmp_path / "nowhere")
    assert done.exit_code == 1 and f"{tmp_path}/nowhere: there is no such directory" in done.stderr, done.describe()
    assert not [path for path in tmp_path.iterdir() if "D" in path.name]


def test_a_temporary_directory_that_is_missing_is_named_before_the_run(tmp_path):
    _, expected = layers(tmp_path)
    tessera = command_line.Tessera(TESSERA.path, TESSERA.launcher, {"TMPDIR": str(tmp_path / "nowhere")})
    words = ["run", "layers.ein", "X=X.npy", "W=W.npy", "-o", "D=short.npy", "--tile", "b=256", "--memory"]
    done = tessera.call(*words, "256KiB", folder=tmp_path)
    assert done.exit_code == 1 and f"{tmp_path}/nowhere: there is no such directory" in done.stderr, done.describe()
    assert "while making room" not in done.stderr, done.describe()
    done = tessera.call(*words, "1GiB", folder=tmp_path)  # nothing is spilled
    assert done.exit_code == 0 and np.array_equal(np.load(tmp_path / "short.npy"), expected), done.describe()


@pytest.mark.parametrize("statement", ["Y[i,k] = sum[j] A[i,j] * B[j,k]", "Y[i,j] = inverse[i,j](A[i,j])"])
def test_a_process_without_address_space_for_a_library_ends(statement, tmp_path):
    np.save(tmp_path / "A.npy", np.eye(64))
    np.save(tmp_path / "B.npy", np.eye(64))
    reads = "A[i,j], B[j,k]" if "B" in statement else "A[i,j]"
    (tmp_path / "p.ein").write_text(f"input {reads}\n{statement}\noutput Y\n")
    inputs = [f"{name}={name}.npy" for name in "AB" if name in reads]
    (tmp_path / "chain.ein").write_text("input A[i,j]\nY[i,j] = (A[i,j] * 2 + 1) * A[i,j] - 3\noutput Y\n")
    seen = set()
    for mebibytes in (120, 195, 280, 400, 800):
        def limit(bytes_=mebibytes << 20):
            resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))

        done = subprocess.run([TESSERA.path, "run", "p.ein", *inputs, "--workers", "1", "--quiet"], cwd=tmp_path,
                              preexec_fn=limit, capture_output=True, text=True, timeout=command_line.TIMEOUT_SECONDS)
        assert done.returncode in (0, 1), f"{mebibytes} MiB: {done.returncode}: {done.stderr}"
        seen.add("address space" in done.stderr)
        done = subprocess.run([TESSERA.path, "run", "chain.ein", "A=A.npy", "--workers", "1", "--quiet", "--generate", "always"],
                              cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True,
                              timeout=command_line.TIMEOUT_SECONDS)
        assert done.returncode in (0, 1), f"{mebibytes} MiB: {done.returncode}: {done.stderr}"
    if not os.environ.get("TESSERA_ALLOWANCE_MIB"):  # a sanitizer itself maps more
        assert done.returncode == 0 and seen == {False, True}, done.stderr


def test_a_full_disk_ends_the_run_with_the_statement(tmp_path):
    resource_limit = 64 << 10  # bytes a file may grow to; the spill file is the first to pass it

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource_limit, resource_limit))

    _, expected = layers(tmp_path)
    arguments = [TESSERA.path, "run", "layers.ein", "X=X.npy", "W=W.npy", "-o", "D=full.npy", "--tile", "b=256", "--memory", "256KiB",
                 "--spill-dir", tmp_path]
    done = subprocess.run(arguments, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True)
    assert expected is not None and done.returncode == 1, done.stderr
    assert re.search(r"spill file in .*: File too large", done.stderr), done.stderr
    assert re.search(r"^layers.ein:\d+:\d+: resource error: ", done.stderr, re.M), done.stderr
    assert not [path for path in tmp_path.iterdir() if "full" in path.name]


@pytest.mark.parametrize("equation", ["i,j->ij", "ij->ji"])
def test_a_result_that_is_printed_is_not_held(tmp_path, equation):
    extent, budget = 4000, 16 << 20  # the result takes 122 MiB
    ramp = np.arange(float(extent))
    np.save(tmp_path / "V.npy", ramp)
    matrix = np.lib.format.open_memmap(tmp_path / "M.npy", "w+", "f8", (extent, extent))
    matrix[-3:, :3] = np.arange(9.0).reshape(3, 3)
    matrix.flush()
    operands = ["V.npy", "V.npy"] if equation == "i,j->ij" else ["M.npy"]
    expected = np.outer(ramp, ramp) if equation == "i,j->ij" else matrix.T
    done, resident = TESSERA.call_measured("einsum", equation, *operands, "--memory", budget, "--quiet", folder=tmp_path)
    assert done.exit_code == 0, done.describe()
    assert done.stdout == f"{expected.astype(int)}\n", done.describe()
    assert resident <= budget + ALLOWANCE, f"{resident} bytes are resident"


ATTENTION = ("input Q[i,d], K[j,d], V[j,d]\nS[i,j] = sum[d] Q[i,d] * K[j,d]\nP[i,j] = softmax[j](S[i,j])\n"
             "O[i,d] = sum[j] P[i,j] * V[j,d]\noutput O\n")
ALTERNATING = ("input X[i,j]\nA[i,j] = softmax[j](X[i,j])\nB[i,j] = softmax[i](A[i,j])\nC[i,j] = softmax[j](B[i,j])\n"
               "output C\n")


@pytest.mark.parametrize("text, result, extents", [(ATTENTION, "O", {"Q": (6000, 32), "K": (6000, 32), "V": (6000, 32)}),
                                                   (ALTERNATING, "C", {"X": (1500, 1500)})])
def test_long_plans_count_in_the_budget(tmp_path, text, result, extents):
    (tmp_path / "long.ein").write_text(text)
    arrays = {name: np.ones(shape, "f4") for name, shape in extents.items()}
    types = [f"{name}=f32[{','.join(map(str, shape))}]" for name, shape in extents.items()]
    explain = ["explain", "long.ein", *types, "--workers", "2"]
    refused, resident = TESSERA.call_measured(*explain, "--memory", "1KiB", folder=tmp_path)
    assert refused.exit_code == 1 and resident <= ALLOWANCE, f"{resident} bytes are resident\n{refused.describe()}"
    assert ", with 2 workers" in refused.stderr, refused.describe()
    smallest = int(re.search(r"\((\d+) bytes\), for a task of", refused.stderr).group(1))
    assert TESSERA.call(*explain, "--memory", smallest - 64, folder=tmp_path).exit_code == 1
    done, results, resident = TESSERA.run_program_measured(
        tmp_path / "long.ein", arrays, [result], tmp_path, "--memory", smallest, "--workers", 2)
    assert done.exit_code == 0, done.describe()
    assert resident <= smallest + ALLOWANCE, f"{resident} bytes are resident\n{done.describe()}"
    np.testing.assert_allclose(results[result], 1 if result == "O" else 1 / 1500, rtol=1e-4)


def test_a_plan_of_many_tasks_is_cut_coarser(tmp_path):
    # Every tile of every statement is read and written: three times as many tasks as calls.
    (tmp_path / "many.ein").write_text("".join(f"input X{k}[i,j]\nY{k}[i,j] = exp(X{k}[i,j])\noutput Y{k}\n" for k in range(5)))
    types = [f"X{k}=f32[40000,40000]" for k in range(5)]
    explain = ["explain", "many.ein", *types, "--workers", "2", "--memory", "96MiB", "--json"]
    done, resident = TESSERA.call_measured(*explain, folder=tmp_path)
    assert done.exit_code == 0 and resident <= ALLOWANCE, f"{resident} bytes are resident\n{done.describe()}"
    plan = json.loads(done.stdout)
    assert "tasks are too many" in plan["candidates"][0]["fate"]
    assert plan["tasks"] <= 32768 and plan["candidates"][1]["fate"] == "chosen"
    on_sites = TESSERA.call(*explain[:2], *types, "--workers", "2", "--sites", "1024", "--stage", "ia", folder=tmp_path)
    assert on_sites.exit_code == 0 and on_sites.stdout.startswith("ia sites=1024"), on_sites.describe()


def test_cuts_that_were_asked_for_are_bounded(tmp_path):
    (tmp_path / "p.ein").write_text("input A[i,k], B[k,j]\nC[i,j] = sum[k] A[i,k] * B[k,j]\noutput C\n")
    explain = ["explain", "p.ein", "A=f32[10000,10000]", "B=f32[10000,10000]"]
    for cuts in (["--pieces", "10000000"], ["--tile", "i=10,j=10,k=10"]):
        done = TESSERA.call(*explain, *cuts, folder=tmp_path)
        assert done.exit_code == 1 and "a plan has at most 1048576" in done.stderr, done.describe()
    done = TESSERA.call(*explain, "--workers", "100000", "--memory", "16MiB", folder=tmp_path)
    assert done.exit_code == 1 and "a run has at most 1024 workers" in done.stderr, done.describe()


def test_a_plan_that_never_ends_is_refused(tmp_path):
    (tmp_path / "p.ein").write_text("input A[i]\nR = sum[a,b,c,d] exp(A[a] + A[b] + A[c] + A[d])\noutput R\n")
    np.save(tmp_path / "A.npy", np.zeros(1 << 20, "f4"))
    done = TESSERA.call("run", "p.ein", "A=A.npy", folder=tmp_path)
    assert done.exit_code == 1 and re.search(r"would take about \S+ years: one task of R", done.stderr), done.describe()
    explained = TESSERA.call("explain", "p.ein", "A=A.npy", "--stage", "tasks", folder=tmp_path)
    assert "\n# warning: this plan would take about " in explained.stdout, explained.describe()


def test_a_table_of_text_is_not_held(tmp_path):
    count, budget = 20_000_000, 16 << 20  # numbers of 153 MiB
    (tmp_path / "X.csv").write_bytes(b"1\n" * count)
    done, resident = TESSERA.call_measured("einsum", "i->", "X.csv", "--memory", budget, "--quiet", folder=tmp_path)
    assert done.exit_code == 0 and done.stdout == f"{count}\n", done.describe()
    assert resident <= budget + ALLOWANCE, f"{resident} bytes are resident"


def test_the_statements_of_a_long_program_count(tmp_path):
    count = 8_000
    file = tmp_path / "many.ein"
    chain = "".join(f"Y{number + 1}[i,j] = sum[k] Y{number}[i,k] * X[k,j]\n" for number in range(count))
    file.write_text(f"input X[i,j]\nY0[i,j] = X[i,j]\n{chain}output Y{count}\n")
    np.save(tmp_path / "X.npy", np.eye(8, dtype="f4"))
    refused = TESSERA.call("run", file, "X=X.npy", "--memory", "1MiB", folder=tmp_path)
    assert refused.exit_code == 1 and f"which has {count + 2} statements" in refused.stderr, refused.describe()
    needed = int(float(re.search(r"([\d.]+) MiB would be for the program itself", refused.stderr).group(1))) + 2
    done, resident = TESSERA.call_measured("run", file, "X=X.npy", "--memory", f"{needed}MiB", "--quiet", folder=tmp_path)
    assert done.exit_code == 0 and done.stdout.splitlines()[0].split() == "[[1 0 0 0 0 0 0 0]".split(), done.describe()
    assert resident <= (needed << 20) + ALLOWANCE, f"{resident} bytes are resident"


def test_planning_a_long_program_holds_little_of_what_it_tried(tmp_path):
    count, budget = 6_000, 88 << 20
    lines = "".join(f"Y{number}[i] = X[i] * {number} + (sum[k] Y{number - 1}[k])\n" for number in range(1, count + 1))
    (tmp_path / "long.ein").write_text(f"input X[i]\nY0[i] = X[i]\n{lines}Z[i] = Y{count}[i] * 0\noutput Z\n")
    np.save(tmp_path / "X.npy", np.zeros(8, "f4"))
    done, resident = TESSERA.call_measured("run", "long.ein", "X=X.npy", "--memory", budget, "--quiet", folder=tmp_path)
    assert done.exit_code == 0 and done.stdout.split("\n")[0] == "[0 0 0 0 0 0 0 0]", done.describe()
    assert resident <= budget + ALLOWANCE, f"{resident} bytes are resident"


def test_a_plan_of_many_statements_takes_little_for_each(tmp_path):
    count = 10_000
    file = tmp_path / "many.ein"
    file.write_text("input X[i]\n" + "".join(f"Y{number}[i] = X[i] + {number}\n" for number in range(count)))
    done, resident = TESSERA.call_measured("explain", file, "X=f32[8]", "--stage", "tasks", folder=tmp_path)
    assert done.exit_code == 0 and done.stdout.count("= compute(") == count, done.describe()
    # Beside the program itself: no constant is a block of 1,024 elements, no line of the text is kept but the text.
    assert resident <= ALLOWANCE + count * 1536, f"{resident} bytes are resident"


def test_what_a_count_bounds_is_promised_when_it_is_counted(tmp_path):
    """How many groups there are nothing bounds, and after it is known the positions that are kept are at most those of the label."""
    draw = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", draw.integers(-3, 4, 300_000).astype("f8"))
    np.save(tmp_path / "g.npy", draw.integers(0, 5000, 300_000))
    (tmp_path / "p.ein").write_text("input x[n], g[n]\nY[g[n]] = sum[n] x[n]\nZ[n] = keep[n where x[n] > 0] x[n]\nW = sum[n] Z[n]\noutput Y, W\n")

    def refused(budget):
        done = TESSERA.call("run", "p.ein", "x=x.npy", "g=g.npy", "--memory", budget, folder=tmp_path)
        assert done.exit_code == 1, done.describe()
        return done.stderr, int(re.search(r"  help: --memory (\d+)\n$", done.stderr)[1])

    text, first = refused(1)
    assert "so far: how many groups of Y there are only a run can tell" in text
    text, enough = refused(first)
    assert "that is enough however many n of Z there are, at most 300000" in text
    assert TESSERA.call("run", "p.ein", "x=x.npy", "g=g.npy", "--memory", enough, "--quiet", folder=tmp_path).exit_code == 0

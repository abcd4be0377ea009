"""`tessera functions`: what a program may call, and numpy's names for it."""
import json

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()


def listed(*arguments):
    return json.loads(TESSERA.call("functions", "--json", *arguments).stdout)["functions"]


@pytest.mark.parametrize("function", [f for f in listed() if f["numpy"]], ids=lambda f: f["call"])
def test_numpys_names_are_numpys(function):
    name = function["numpy"]
    if name.split(".")[0] in ("scipy", "torch", "ml_dtypes"):
        pytest.skip("names of another library, which need not be installed")
    found = np
    for part in name.split("."):
        found = getattr(found, f"{part}_" if part == "bool" else part)  # NumPy 1 has no other bool
    assert callable(found)


def is_compared(function):
    """Functions of one or two numbers that numpy has too."""
    takes = {dtype for result in function["results"] for dtype in result["arguments"]}
    return function["kind"] == "function" and "." not in function["numpy"] and "f64" in takes and function["call"].count(",") < 2


def test_they_compute_what_numpys_do(tmp_path):
    functions = [function for function in listed() if is_compared(function)]
    data = {"X": np.array([1.25, 1.5, 1.75]), "Y": np.array([0.5, 0.25, 0.75])}
    for function in functions:  # inverse functions have values for what is at most 1
        function["inputs"] = (("Y", "X") if function["name"] in ("asin", "acos", "atanh") else ("X", "Y"))[:function["call"].count(",") + 1]
    statements = [f"R{n} = {function['name']}({', '.join(f'{name}[i]' for name in function['inputs'])})".replace(" =", "[i] =")
                  for n, function in enumerate(functions)]
    (tmp_path / "all.ein").write_text("# Every function.\ninput X[i], Y[i]\n" + "\n".join(statements) + "\n")
    done, results = TESSERA.run_program(tmp_path / "all.ein", data, [f"R{n}" for n in range(len(functions))], tmp_path)
    assert done.exit_code == 0, done.describe()
    assert len(functions) > 40
    for n, function in enumerate(functions):
        wanted = getattr(np, function["numpy"])(*(data[name] for name in function["inputs"]))
        np.testing.assert_allclose(results[f"R{n}"], wanted, rtol=1e-14, err_msg=function["name"])  # the last bits of a library's series


def test_one_name_may_be_several():
    assert [f["kind"] for f in listed("max")] == ["aggregate", "language"]
    text = TESSERA.call("functions", "max").stdout
    assert "max[i] x: the largest element" in text and "max(x, y, ...): the largest of its arguments" in text


def test_the_list_names_every_function_and_group():
    text = TESSERA.call("functions").stdout
    for function in listed():
        assert f"  {function['call']} " in text and f"{function['group']}\n" in text


def test_a_function_says_what_ends_the_run():
    text = TESSERA.call("functions", "remainder").stdout
    for line in ("operator  x % y", "refuses   c64 c128", "error     an integer divided by zero", "example   Z[i] = X[i] % Y[i]"):
        assert line in text

"""tessera calibrate: what it keeps, who goes by it, and what becomes of a file that is none."""
import datetime
import json
import socket

import pytest

import command_line

PROGRAM = "input X[i,j]\nY[i,j] = exp(X[i,j]) * 2\noutput Y\n"
TYPE = "X=f32[1000,1000]"


def going_by(path):
    """The program with a file of rates."""
    return command_line.from_environment(TESSERA_RATES=str(path))


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder with a program, and the file that `tessera calibrate` keeps in the user's cache."""
    folder = tmp_path_factory.mktemp("calibrate")
    (folder / "program.ein").write_text(PROGRAM)
    tessera = command_line.from_environment(XDG_CACHE_HOME=str(folder / "cache"))
    del tessera.environment["TESSERA_RATES"]
    done = tessera.call("calibrate", folder=folder)
    assert done.exit_code == 0, done.describe()
    path = folder / "cache" / "tessera" / f"rates-{socket.gethostname()}.json"
    assert f"wrote {path}: plans on this host go by it" in done.stderr
    return folder, path, done, tessera


def explained(tessera, folder, *options):
    done = tessera.call("explain", folder / "program.ein", TYPE, *options)
    assert done.exit_code == 0, done.describe()
    return done


def test_prints_each_rate_beside_the_built_in_one(measured):
    _, path, done, _ = measured
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["rate", "built", "in", "measured"]
    printed = {line.split()[0]: float(line.split()[-1]) for line in lines[1:]}
    kept = json.loads(path.read_text())["rates"]
    assert len(printed) > 10
    for name, rate in printed.items():
        assert kept[name] == pytest.approx(rate, rel=0.01), name


def test_explain_goes_by_them_and_says_so(measured):
    folder, path, _, tessera = measured
    date = json.loads(path.read_text())["measured"]
    assert abs(datetime.date.fromisoformat(date) - datetime.date.today()).days <= 1
    for program in (tessera, going_by(path)):
        assert explained(program, folder, "--stage", "tasks").stdout.splitlines()[-1] == f"# seconds by rates measured on {date}"
    figures = json.loads(explained(tessera, folder, "--json").stdout)
    usual = json.loads(explained(command_line.from_environment(), folder, "--json").stdout)
    assert figures["rates"] == date and usual["rates"] == "built in"
    assert figures["estimated_seconds"] != usual["estimated_seconds"]


@pytest.mark.parametrize("text, reason", [("", "it is damaged"), ("{}", "another version of tessera wrote it"),
                                          (None, "it cannot be opened")])
def test_a_file_that_is_none_is_named_and_not_used(measured, text, reason, tmp_path):
    folder, _, _, _ = measured
    path = tmp_path / "rates.json"
    if text is not None:
        path.write_text(text)
    done = explained(going_by(path), folder, "--stage", "tasks")
    assert done.stdout.splitlines()[-1] == "# seconds by built-in rates"
    assert done.stderr == (f"tessera: warning: the rates in {path} are not used, plans go by those that are built in: {reason}; "
                           "'tessera calibrate' measures this machine\n")
    assert explained(going_by(path), folder, "--stage", "tasks", "--quiet").stderr == ""


def test_says_where_rates_could_go(tmp_path):
    done = command_line.from_environment().call("calibrate")
    assert done.exit_code == 1
    assert done.stderr == ("tessera: error: there is no place for the rates, TESSERA_RATES is empty or there is no HOME: say where with -o "
                           "FILE\n")

"""What is installed beside the program, its manual page and its shells' completions, knows every option there is."""
import functools
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESSERA = os.environ["TESSERA"]
MANUAL = ROOT / "share/man/man1/tessera.1"
BASH = ROOT / "share/bash-completion/completions/tessera"
ZSH = ROOT / "share/zsh/site-functions/_tessera"


@functools.cache
def help_of(*command):
    return subprocess.run([TESSERA, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands():
    found = re.findall(r"^  ([a-z]+) ", help_of().split("Subcommands:\n")[1], flags=re.M)
    assert len(found) >= 3
    return found


def options_of(*command):
    lines = re.findall(r"^  (-\S+)", help_of(*command), flags=re.M)
    return {option for line in lines for option in line.split(",")}


def completed_by_bash(*words):
    """What completing the last of `words` offers."""
    quoted = " ".join(f"'{word}'" for word in (TESSERA, *words))
    script = f"source {BASH}; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _tessera; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return set(subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split())


def options_in_manual():
    text = MANUAL.read_text().replace("\\-", "-")
    return set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*|-[A-Za-z](?![\w-]))", text))


def test_the_manual_names_every_option_and_no_other():
    known = options_of().union(*(options_of(command) for command in commands()))
    assert options_in_manual() == known


def test_the_manual_names_every_command():
    text = MANUAL.read_text()
    for command in commands():
        assert f".B {command}\n" in text


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_manual_is_formatted_without_a_warning():
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", MANUAL], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert "tessera - plan and run" in re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)


def test_bash_completes_commands():
    assert completed_by_bash("") == set(commands())
    assert completed_by_bash("ex") == {"explain"}


def test_bash_completes_every_option():
    assert completed_by_bash("-") == options_of()
    for command in commands():
        assert completed_by_bash(command, "-") == options_of(command)
        assert completed_by_bash(command, "x", "--re") == {o for o in options_of(command) if o.startswith("--re")}


def test_bash_completes_values_and_files():
    assert {"tra", "tasks"} <= completed_by_bash("explain", "--stage", "t")
    assert completed_by_bash("explain", "--format", "") == {"text", "json", "dot"}
    assert str(BASH) in completed_by_bash("run", str(BASH)[:-2])


# zsh's own functions are replaced by ones that print what they are given.
ZSH_STUBS = """
compadd() { print -l -- ${(P)2} }
_describe() { local -a all=("${(@P)2}"); print -l ${all%%:*} }
_files() { print files }
compset() { false }
complete_words() { local -a words=("$@"); local CURRENT=$# PREFIX=${@[-1]}; source FILE }
"""


def completed_by_zsh(*words):
    quoted = " ".join(f"'{word}'" for word in (TESSERA, *words))
    done = subprocess.run(["zsh", "-fc", ZSH_STUBS.replace('FILE', str(ZSH)) + f"complete_words {quoted}"], capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_completes_as_bash_does():
    assert completed_by_zsh("") == set(commands())
    assert completed_by_zsh("-") == options_of()
    for command in commands():
        assert completed_by_zsh(command, "-") == options_of(command)
    assert completed_by_zsh("explain", "--format", "") == {"text", "json", "dot"}
    assert completed_by_zsh("run", "") == {"files"}

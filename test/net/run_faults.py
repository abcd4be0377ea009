#!/usr/bin/python3
"""What becomes of processes of mpirun when one of them fails, is killed or stands still.

  run_faults.py MPIEXEC EXCHANGE
"""
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

LONGEST_SECONDS = 10  # until none lives on


def start(words, before=None, **variables):
    mpiexec, exchange = sys.argv[1:3]
    return subprocess.Popen(
        [mpiexec, "--oversubscribe", "--mca", "plm", "isolated", "-n", "3", exchange, *words],
        env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, preexec_fn=before)


def children(launcher):
    """The processes that it started, those that have ended left out."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, state, parent = re.match(r"\d+ \((.*)\) (\S) (\d+)", (folder / "stat").read_text()).groups()
        except OSError:
            continue
        if int(parent) == launcher.pid and name == "exchange" and state != "Z":
            found.append(int(folder.name))
    return sorted(found)


def is_alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] not in "ZX"
    except OSError:
        return False


def await_children(launcher, seconds=1.5):
    """The processes, after so many seconds of messages."""
    deadline = time.monotonic() + 30
    while len(children(launcher)) < 3:
        assert time.monotonic() < deadline and launcher.poll() is None, "mpirun starts no processes"
        time.sleep(0.05)
    time.sleep(seconds)
    return children(launcher)


def await_end(launcher, processes):
    """Fails where one lives on; returns what was printed."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while launcher.poll() is None or any(map(is_alive, processes)):
        if time.monotonic() > deadline:
            alive = [p for p in processes if is_alive(p)]
            os.killpg(launcher.pid, signal.SIGKILL)
            for process in alive:
                os.kill(process, signal.SIGKILL)
            raise AssertionError(f"after {LONGEST_SECONDS} s {alive} of {processes} live")
        time.sleep(0.05)
    return launcher.stdout.read()


def test_failure_is_heard_by_all():
    for failing in ("0", "2"):
        launcher = start(["fail", failing])
        printed = await_end(launcher, await_children(launcher))
        assert launcher.returncode == 0, printed
        assert sorted(re.findall(r"\d heard it", printed)) == ["0 heard it", "1 heard it", "2 heard it"], printed


def test_failure_ends_the_others_of_one_that_computes():
    launcher = start(["busy", "1"])
    printed = await_end(launcher, await_children(launcher))
    assert printed.count("heard it") == 3, printed
    assert "signal 11" not in printed, printed


def test_killed_process_ends_all():
    for place in range(3):
        launcher = start(["run"])
        processes = await_children(launcher)
        os.kill(processes[place], signal.SIGKILL)
        printed = await_end(launcher, processes)
        assert launcher.returncode != 0 and "signal 9" in printed, printed


def test_killed_launcher_ends_all():
    launcher = start(["run"])
    processes = await_children(launcher)
    launcher.kill()
    await_end(launcher, processes)


def test_stopped_process_is_waited_for():
    launcher = start(["drawn", "2"])
    processes = await_children(launcher, 0.5)
    os.kill(processes[1], signal.SIGSTOP)
    time.sleep(5)
    assert all(map(is_alive, processes))
    os.kill(processes[1], signal.SIGCONT)
    printed = launcher.communicate(timeout=60)[0]
    assert launcher.returncode == 0, printed


def test_wrong_delay_is_named():
    launcher = start(["drawn", "2"], TESSERA_LINK_DELAY="soon")
    printed = launcher.communicate(timeout=30)[0]
    assert "TESSERA_LINK_DELAY is 'soon'" in printed, printed


def test_launcher_of_another_library_is_named():
    """Processes that MPI does not know of: each would run alone, and write the same results."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMIX_"))}
    alone = subprocess.run([sys.argv[2], "drawn", "1"], env={**variables, "PMI_RANK": "0", "PMI_SIZE": "4"},
                           capture_output=True, text=True, timeout=30)
    assert alone.returncode == 1, alone
    assert "started 4 processes, but MPI finds 1" in alone.stderr, alone


class Instruction(ctypes.Structure):
    """One of the kernel's filters of system calls (linux/filter.h)."""
    _fields_ = [("code", ctypes.c_uint16), ("if_true", ctypes.c_uint8), ("if_false", ctypes.c_uint8), ("value", ctypes.c_uint32)]


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(Instruction))]


def forbid_copies():
    """Lets process_vm_readv fail with EPERM in this process and those it starts, as containers do."""
    load, jump_if_equal, end = 0x20, 0x15, 0x06
    process_vm_readv, error, allow = 310, 0x00050000 + 1, 0x7FFF0000
    instructions = (Instruction * 4)((load, 0, 0, 0), (jump_if_equal, 0, 1, process_vm_readv), (end, 0, 0, error), (end, 0, 0, allow))
    set_no_new_privileges, set_filter = 38, 22
    library = ctypes.CDLL(None, use_errno=True)
    assert library.prctl(set_no_new_privileges, 1, 0, 0, 0) == 0
    assert library.prctl(set_filter, 2, ctypes.byref(Filter(4, instructions)), 0, 0) == 0


def test_forbidden_copies_are_found_out():
    """Where MPI tries to copy all the same, the first long message does not arrive."""
    launcher = start(["drawn", "2"], before=forbid_copies)
    printed = launcher.communicate(timeout=60)[0]
    assert launcher.returncode == 0 and not printed, printed


def test_short_shared_memory_is_named():
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size=6m tmpfs {folder} && exec \"$@\"", "sh",
                                  sys.argv[1], "--oversubscribe", "--mca", "plm", "isolated", "-n", "3", sys.argv[2], "drawn", "1"],
                                 env={**os.environ, "OMPI_MCA_btl_vader_backing_directory": folder},
                                 capture_output=True, text=True, timeout=60)
        if "unshare" in mounted.stderr or "mount:" in mounted.stderr:
            print("short shared memory: skipped, as this user may not mount")
            return
        assert f"{folder} has 6 MiB free, but MPI needs 13 MiB there for 3 processes" in mounted.stderr, mounted


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: right")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""`lockstep run`: exit status, signals, environment, report; real clients are in tests/clients."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import LOCKSTEP, lockstep, refused

PYTHON = sys.executable
TARGETS = """
import os, re
root = '/sys/devices/virtual/kfd/kfd/topology/nodes'
for node in sorted(os.listdir(root), key=int):
    print(re.search(r'gfx_target_version (\\d+)', open(f'{root}/{node}/properties').read())[1])
"""
TINYGRAD = "from tinygrad import Tensor; print((Tensor([1, 2, 3]) + 1).tolist())"


def run(*arguments, **options):
    return lockstep("run", *arguments, **options)


@pytest.mark.parametrize("status", [0, 1, 3, 77, 255])
def test_exit_status_is_passed_on(status):
    assert run("--", "sh", "-c", f"exit {status}").returncode == status


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_death_by_signal_is_passed_on(number):
    done = run("--", "sh", "-c", f"kill -{int(number)} $$")
    assert done.returncode == -number
    assert f"signal {int(number)}" in done.stderr


def test_no_temporary_files_stay(tmp_path):
    for command in ("exit 0", "exit 3", "kill -9 $$"):
        run("--", "sh", "-c", command, env={"TMPDIR": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_reach_the_program(number):
    program = f"""
import signal, sys, time
signal.signal({int(number)}, lambda *_: sys.exit(42))
print('ready', flush=True)
for _ in range(600):  # one long sleep would miss a signal that comes just before it
    time.sleep(0.1)
"""
    process = subprocess.Popen([LOCKSTEP, "run", "--", PYTHON, "-c", program], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    assert process.wait(timeout=30) == 42


def test_a_killed_run_takes_the_program_along():
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    process = subprocess.Popen([LOCKSTEP, "run", "--", PYTHON, "-c", program], stdout=subprocess.PIPE, text=True)
    child = int(process.stdout.readline())
    process.kill()
    process.wait(timeout=10)
    for _ in range(100):
        try:
            if pathlib.Path(f"/proc/{child}/stat").read_text().split(")")[1].split()[0] == "Z":
                return
        except FileNotFoundError:
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the program outlived lockstep run")


def test_arguments_are_the_programs_own():
    done = run("--quiet", "--", PYTHON, "-c", "import sys; print(sys.argv[1:])", "--device=x", "--", "-h", "a b")
    assert done.stdout == "['--device=x', '--', '-h', 'a b']\n"
    # Without --, ours end at the program's name.
    done = run("--quiet", PYTHON, "-c", "import sys; print(sys.argv[1:])", "--json")
    assert done.stdout == "['--json']\n"


def test_standard_streams_are_the_programs_own():
    done = run("--quiet", "--", "cat", stdin="to and fro\n")
    assert done.stdout == "to and fro\n" and done.stderr == ""


@pytest.mark.parametrize(
    "options,versions",
    [
        ([], ["0", "110000"]),
        (["--device=gfx1201"], ["0", "120001"]),
        (["--gpus=3"], ["0", "110000", "110000", "110000"]),
        (["--device=gfx1100,gfx942"], ["0", "110000", "90402"]),
    ],
)
def test_devices(options, versions):
    done = run(*options, "--", PYTHON, "-c", TARGETS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == versions


def test_flags_go_before_the_environment():
    environment = {"LOCKSTEP_DEVICE": "gfx1201"}
    assert run("--", PYTHON, "-c", TARGETS, env=environment).stdout.split() == ["0", "120001"]
    assert run("--device=gfx1100", "--", PYTHON, "-c", TARGETS, env=environment).stdout.split() == ["0", "110000"]


def test_the_users_own_preload_stays():
    show = "import os; print(os.environ['LD_PRELOAD'])"
    done = run("--quiet", "--", PYTHON, "-c", show, env={"LD_PRELOAD": "/nowhere/own.so"})
    assert re.fullmatch(r"/.*/liblockstep-kfd\.so:/nowhere/own\.so", done.stdout.strip())


@pytest.mark.parametrize(
    "options,parts",
    [
        (["--device=gfx999"], ["--device", "gfx999", "gfx1100"]),
        (["--device=gfx1100,gfx1101", "--gpus=3"], ["--gpus"]),
        (["--gpus=0"], ["--gpus"]),
        (["--threads=-1"], ["--threads"]),
        (["--engine=fast"], ["--engine", "fast"]),
        (["--log=loud"], ["--log", "loud"]),
        (["--check=uninit"], ["uninit", "not there yet"]),
        (["--check=bounds,races"], ["races", "not there yet"]),
        (["--check=waits"], ["waits", "not there yet"]),
        (["--check=frob"], ["frob", "bounds"]),
        (["--report=/nowhere/r.json"], ["--report", "/nowhere/r.json"]),
        (["--frob"], ["--frob"]),
        (["frob"], ["frob"]),
    ],
)
def test_refusals(options, parts, tmp_path):
    mark = tmp_path / "ran"
    refused(run(*options, "--", "touch", mark), *parts)
    assert not mark.exists(), "the program must not start"


def test_program_that_is_not_there():
    refused(run("--", "/nowhere/program"), "/nowhere/program", "No such file")
    refused(run(), "PROGRAM")
    refused(run("--"), "PROGRAM")


def test_bad_variables_are_refused():
    refused(run("--", "true", env={"LOCKSTEP_THREADS": "many"}), "LOCKSTEP_THREADS", "many")


def test_program_without_a_queue_is_told_so():
    assert "made no queue" in run("--", "true").stderr
    assert run("--quiet", "--", "true").stderr == ""


def test_static_programs_are_explained(tmp_path):
    source = tmp_path / "static.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["c++", "-x", "c", "-static", source, "-o", tmp_path / "static"], check=True)
    assert "statically linked" in run("--", tmp_path / "static").stderr


def tinygrad(*options, **more):
    done = run(*options, "--", PYTHON, "-c", TINYGRAD, **more)
    assert done.returncode == 0 and done.stdout == "[2, 3, 4]\n", f"{done.stdout}\n{done.stderr}"
    return done


def test_table_and_report_of_a_real_program(tmp_path):
    done = tinygrad(f"--report={tmp_path}/report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    kernels = report["processes"][0]["devices"][0]["kernels"]
    assert kernels and report["totals"]["wave_instructions"] > 0 and report["totals"]["faults"] == 0
    instructions = report["processes"][0]["instructions"]
    counted = sum(row["count"] for row in instructions["rows"])
    assert counted == sum(instructions["classes"].values()) >= report["totals"]["wave_instructions"]
    assert all(row["target"] == "gfx1100" and row["fidelity"] == "exact" for row in instructions["rows"])
    assert "instructions: " in done.stderr and "vector memory" in done.stderr
    header, *rows = done.stderr[done.stderr.index("\nkernel ") + 1 :].splitlines()
    assert header.split() == ["kernel", "device", "dispatches", "waves", "wave-instrs", "time", "rate"]
    for kernel in kernels:
        row = next(r.split() for r in rows if r.split()[0] == kernel["name"])
        assert row[1:5] == ["gfx1100"] + [str(kernel[k]) for k in ("dispatches", "waves", "wave_instructions")]
    total = next(r.split() for r in rows if r.startswith("total:"))
    assert total[1] == str(len(kernels)) and str(report["totals"]["wave_instructions"]) in total


def test_an_old_report_is_replaced(tmp_path):
    path = tmp_path / "report.json"
    tinygrad(f"--report={path}")
    run(f"--report={path}", "--", "true")
    assert json.loads(path.read_text())["processes"] == []


def test_json():
    done = tinygrad("--json")
    report = json.loads(done.stderr[done.stderr.index("{") :])
    assert report["status"] == {"exit_code": 0, "signal": 0} and report["guest_faults"] == []
    assert report["totals"]["dispatches"] >= 1


def test_progress_is_shown_on_a_terminal():
    main, terminal = os.openpty()
    device = [LOCKSTEP, "run", "--device=gfx1100", "--"]
    work = [LOCKSTEP, "diff", "--device", "--quiet", "--match=v_*", "--per-form=6", "--seed=3"]
    process = subprocess.Popen([*device, *work], stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not re.search(rb"\d+ s, \d+ kernels \(\d+/s\), [\d.]+ ?[kMG]? ?wave-instr", shown):
        shown += os.read(main, 4096)
    process.kill()
    process.wait(timeout=10)
    os.close(main)
    assert b"kernels (" in shown, shown

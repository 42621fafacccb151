# SPDX-License-Identifier: MIT
"""Broken kernels: tinygrad raises its own error, and our report names kernel, place and address."""

import os
import pathlib
import re
import subprocess
import sys
import time

import pytest
from conftest import BUILD

LOCKSTEP = os.environ.get("LOCKSTEP_BIN", str(BUILD / "bin" / "lockstep"))
PROGRAM = pathlib.Path(__file__).with_name("faulting_program.py")


def run(*arguments, device="gfx1100"):
    """The program on an emulated device, in a process of its own; its output shows in failures."""
    environment = {**os.environ, "DEV": "AMD:LLVM"}
    for name in ("LD_PRELOAD", "LOCKSTEP_DEVICE"):
        environment.pop(name, None)
    done = subprocess.run(
        [LOCKSTEP, "run", f"--device={device}", "--", sys.executable, PROGRAM, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    print(done.stdout, done.stderr, sep="\n--- stderr\n")
    return done


def printed(done, name):
    """A number that the program itself printed."""
    return re.search(rf"^{name} (0x[0-9a-f]+)$", done.stdout, re.M).group(1)


def check_place(done, report, kernel):
    """The report names the kernel, and the instruction's bytes are those at its pc."""
    assert re.search(rf"kernel +{kernel}\b", report)
    pc, offset = re.search(r"pc +(0x[0-9a-f]+) \(entry \+ 0x([0-9a-f]+)\)", report).groups()
    assert int(pc, 16) == int(printed(done, "entry"), 16) + int(offset, 16)
    word = re.search(r"instruction +.*\[([0-9a-f]+)\]", report).group(1)
    code = printed(done, "code")[2:]
    assert code[2 * int(offset, 16) :].startswith(word), "these bytes stand elsewhere"


def fault_report(done):
    """Our own explanation: from its head line on."""
    report = re.search(r"GPU fault: .*(?:\n +\S.*)*", done.stderr)
    assert report, "no fault report on stderr"
    return report.group(0)


def test_good_kernel_runs():
    done = run("good")
    assert done.returncode == 0 and "copied" in done.stdout


@pytest.mark.parametrize(
    "kernel,instruction,reason",
    [("reads_astray", "global_load_b32", "read"), ("writes_astray", "global_store_b32", "write")],
)
def test_access_outside_every_buffer(kernel, instruction, reason):
    done = run(kernel)
    address = printed(done, "address")
    # tinygrad's own report, from the driver's memory-fault event, ends the program
    assert re.search(rf"RuntimeError: .*MMU fault: {address}\b", done.stderr, re.I | re.S)
    assert "CPU still counts to 3" in done.stdout, "the process itself goes on after the fault"
    assert "copied" not in done.stdout
    assert done.returncode not in (0, 2) and done.returncode < 128
    report = fault_report(done)
    assert reason in report.splitlines()[0]
    check_place(done, report, kernel)
    assert re.search(rf"instruction +{instruction} ", report)
    assert re.search(r"workgroup \(0, 0, 0\), wave 1, lane 5\b", report)
    assert re.search(rf"address +{address}\b", report)
    assert re.search(r"nearest +\S", report)


def test_unknown_instruction():
    done = run("unknown_word")
    assert "RuntimeError" in done.stderr and "copied" not in done.stdout
    assert done.returncode not in (0, 2) and done.returncode < 128
    report = fault_report(done)
    assert "illegal instruction" in report.splitlines()[0]
    check_place(done, report, "unknown_word")
    assert re.search("deadbeef|ef ?be ?ad ?de", report)


def test_a_caught_fault_still_fails_the_run():
    """The program hides its error and ends well; `lockstep run` does not."""
    done = run("reads_astray", "catch")
    assert "caught" in done.stdout and "CPU still counts to 3" in done.stdout
    assert done.returncode == 1
    assert "GPU fault" in done.stderr


def test_fault_is_reported_soon():
    """The fault event ends tinygrad's wait; its own timeout of 30 seconds is not what we see."""
    start = time.monotonic()
    run("reads_astray")
    assert time.monotonic() - start < 20

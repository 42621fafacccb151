# SPDX-License-Identifier: MIT
"""What Lockstep costs a process that opens the driver and then does nothing: resident memory and handles."""

import subprocess
import sys

from conftest import lockstep

IDLE = r"""
import os, re
driver = os.open("/dev/kfd", os.O_RDWR) if os.environ.get("LD_PRELOAD") else -1
status = open("/proc/self/status").read()
print(re.search(r"VmRSS:\s+(\d+) kB", status)[1], len(os.listdir("/proc/self/fd")), re.search(r"Threads:\s+(\d+)", status)[1])
"""
LIMIT_KIB = 24 * 1024


def _measure(*options):
    done = lockstep("run", *options, "--quiet", "--", sys.executable, "-c", IDLE)
    assert done.returncode == 0, done.stderr
    return [int(n) for n in done.stdout.split()]


def _plain():
    return [int(n) for n in subprocess.check_output([sys.executable, "-c", IDLE], text=True).split()]


def test_an_idle_process_is_small():
    memory, handles, _ = _plain()
    for options in (["--device=gfx1100"], ["--device=gfx942", "--gpus=8"]):
        more_memory, more_handles, threads = _measure(*options)
        print(f"{options}: {more_memory - memory:+d} KiB, {more_handles - handles:+d} handles")
        assert 0 < more_memory - memory < LIMIT_KIB
        assert more_handles - handles < 40 and threads == 1

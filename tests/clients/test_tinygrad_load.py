# SPDX-License-Identifier: MIT
"""Many dispatches of a tiny kernel, captured and one by one: none is lost, memory and handles do not grow.

A short run in every `make test`; LOCKSTEP_LONG=1 makes it 1,000,000 dispatches each way.
"""

import os
import pathlib
import re
import time

import numpy as np
import pytest
from tinygrad import Context, Tensor, TinyJit

LONG = os.environ.get("LOCKSTEP_LONG", "0") not in ("", "0")
KERNELS = 50  # in one captured step


def _private_kib():
    """Without device memory, whose rings the runtime fills little by little."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"^RssAnon:\s+(\d+) kB", status, re.M)[1])


def _handles():
    return len(list(pathlib.Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("how, jit, dispatches", [("captured", 1, 100_000), ("one by one", 2, 60_000)])
def test_dispatches_without_growth(how, jit, dispatches):
    dispatches = 1_000_000 if LONG else dispatches
    total = Tensor.zeros(3).contiguous().realize()

    @TinyJit
    def step():
        for _ in range(KERNELS):
            total.assign(total + 1).realize()
        return total

    with Context(JIT=jit):
        steps = dispatches // KERNELS
        for i in range(steps):
            if i == steps // 4:
                memory, handles, begin = _private_kib(), _handles(), time.monotonic()
            step()
            if i % 10 == 9:  # a float keeps every integer below 2^24
                total.numpy()
    seconds = time.monotonic() - begin
    np.testing.assert_array_equal(total.numpy(), np.full(3, steps * KERNELS, np.float32))
    growth = _private_kib() - memory
    print(f"{how}: {seconds / (steps - steps // 4) / KERNELS * 1e6:.1f} us a dispatch, memory {growth:+d} KiB")
    assert growth < 4096 and _handles() == handles

# SPDX-License-Identifier: MIT
"""Kernels and files that misbehave: `lockstep exec` says what and where, and exits with 1 or 2."""

import re
import subprocess

import numpy as np
import pytest
from exec_support import KERNELS, WAVES, kernel_file, lockstep


def bad_file(name):
    path = KERNELS / "bad" / f"{name}.gfx1100.w32.co"
    assert path.is_file(), f"{path} is missing: build the target test_kernels"
    return path


def check(done, status, *patterns):
    assert done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    for pattern in patterns:
        assert re.search(pattern, done.stderr), f"no {pattern!r} in\n{done.stderr}"
    assert "terminate called" not in done.stderr and "AddressSanitizer" not in done.stderr


def read_past_end(distance):
    return lockstep("exec", bad_file("read_past_end"), "--kernel=read_past_end", "--grid=1",
                    "--block=32", "--arg", "iota:f32:64", "--arg", "out:f32:32",
                    "--arg", f"u32:{distance}")  # fmt: skip


def test_read_inside_is_no_fault():
    check(read_past_end(32), 0)


@pytest.mark.parametrize("distance", [33, 64, 100000])
def test_read_past_the_end(distance):
    done = read_past_end(distance)
    check(done, 1, "read_past_end", "global_load_b32", "(at|past) the end of arg 0 ")
    lane = re.search(r"lane (\d+)", done.stderr)
    assert lane, done.stderr
    assert int(lane[1]) == max(0, 64 - distance), "the first lane that is outside"


def test_unknown_word():
    done = lockstep("exec", bad_file("unknown_word"), "--grid=1", "--block=32")
    check(done, 1, "unknown_word", r"(?i)efbeadde|deadbeef", r"(?i)instruction")


@pytest.mark.parametrize("threads", [1, 2])
def test_endless_loop(threads):
    done = lockstep("exec", bad_file("endless"), "--kernel=endless", "--grid=3", "--block=64",
                    "--max-instructions=100000", f"--threads={threads}", timeout=60)  # fmt: skip
    check(done, 1, "endless", r"(?i)instruction", "100,?000|limit|max-instructions")


def test_truncated_code_object(tmp_path):
    whole = kernel_file("vector_add").read_bytes()
    cut = tmp_path / "cut.co"
    for length in (0, 1, 63, 64, 300, len(whole) // 2, len(whole) - 1):
        cut.write_bytes(whole[:length])
        done = lockstep("exec", cut, "--kernel=vector_add", "--grid=1", "--block=32")
        check(done, 2, r"cut\.co")
        assert len(done.stderr.strip()) > 30, done.stderr
        if length >= 64:
            assert re.search(r"0x[0-9a-f]+", done.stderr), "the message names an offset"


def test_damaged_header(tmp_path):
    damaged = bytearray(kernel_file("vector_add").read_bytes())
    damaged[0x2F] = 0xFF  # top byte of e_shoff
    path = tmp_path / "damaged.co"
    path.write_bytes(damaged)
    done = lockstep("exec", path, "--kernel=vector_add", "--grid=1", "--block=32")
    check(done, 2, "e_shoff 0xff")


def test_unknown_kernel():
    path = kernel_file("vector_add")
    done = lockstep("exec", path, "--kernel=nonsense", "--grid=1", "--block=32")
    check(done, 2, "nonsense", "vector_add")


def test_required_workgroup_size():
    done = lockstep("exec", kernel_file("tiled_matmul"), "--grid=1", "--block=32",
                    "--arg", "zeros:f32:16", "--arg", "zeros:f32:16", "--arg", "out:f32:16",
                    "--arg", "u32:4", "--arg", "u32:4", "--arg", "u32:4")  # fmt: skip
    check(done, 2, "16")


@pytest.mark.parametrize("wave", WAVES)
def test_scratch_kernel_uses_scratch(wave):
    """The kernel would prove nothing if the compiler kept its array in registers."""
    text = subprocess.run(["llvm-objdump-22", "-d", kernel_file("scratch", wave)],
                          capture_output=True, text=True, check=True).stdout  # fmt: skip
    for name in ("scratch_store_b32", "scratch_load_b32", "scratch_store_b8", "scratch_store_b16"):
        assert name in text, name


def test_results_do_not_depend_on_threads(tmp_path):
    values = np.arange(5000, dtype=np.uint32)
    np.save(tmp_path / "in.npy", values)
    for threads in (1, 2, 4):
        out = tmp_path / f"out{threads}.npy"
        done = lockstep("exec", kernel_file("histogram"), "--kernel=histogram", "--grid=20",
                        "--block=256", "--arg", f"in:u32:{tmp_path / 'in.npy'}",
                        "--arg", f"out:u32:256:{out}", "--arg", "u32:5000",
                        f"--threads={threads}")  # fmt: skip
        check(done, 0)
        np.testing.assert_array_equal(np.load(out), np.bincount(values % 256, minlength=256))

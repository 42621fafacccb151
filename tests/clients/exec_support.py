# SPDX-License-Identifier: MIT
"""Runs `lockstep exec` on the kernels of tests/kernels, with NumPy arrays in and out."""

import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build")).resolve()
LOCKSTEP = pathlib.Path(os.environ.get("LOCKSTEP_BIN", BUILD / "bin" / "lockstep"))
KERNELS = pathlib.Path(os.environ.get("LOCKSTEP_KERNELS", BUILD / "kernels"))
WAVES = {"w32": 32, "w64": 64}

TYPES = {
    np.dtype(t): name
    for t, name in [
        ("i1", "i8"), ("i2", "i16"), ("i4", "i32"), ("i8", "i64"),
        ("u1", "u8"), ("u2", "u16"), ("u4", "u32"), ("u8", "u64"),
        ("f2", "f16"), ("f4", "f32"), ("f8", "f64"),
    ]
}  # fmt: skip


def kernel_file(name, wave="w32", target="gfx1100", kind="co"):
    """`wave` may name a target of its own: gfx1201.w32."""
    if "." in wave:
        target, wave = wave.split(".")
    path = KERNELS / f"{name}.{target}.{wave}.{kind}"
    assert path.is_file(), f"{path} is missing: build the target test_kernels"
    return path


def dims(sizes):
    return ",".join(str(s) for s in sizes) if isinstance(sizes, (tuple, list)) else str(sizes)


def lockstep(*arguments, timeout=300):
    """Runs the command; a missing program is a failure, not a reason to skip."""
    assert LOCKSTEP.is_file(), f"{LOCKSTEP} is missing: build the target lockstep"
    return subprocess.run(
        [LOCKSTEP, *map(str, arguments)], capture_output=True, text=True, timeout=timeout
    )


class Out:
    """A buffer for results, zeros at first or `start`."""

    def __init__(self, shape, dtype, start=None):
        self.shape = shape if isinstance(shape, tuple) else (shape,)
        self.dtype = np.dtype(dtype)
        self.start = start


class Launch:
    """Writes inputs, runs a kernel, and reads the outputs back."""

    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def file(self):
        self.count += 1
        return self.folder / f"array{self.count}.npy"

    def spec(self, argument, outputs):
        if isinstance(argument, Out):
            path = self.file()
            outputs.append(path)
            kind = TYPES[argument.dtype]
            if argument.start is None:
                return f"out:{kind}:{'x'.join(map(str, argument.shape))}:{path}"
            start = self.file()
            np.save(start, np.broadcast_to(argument.start, argument.shape).astype(argument.dtype))
            return f"inout:{kind}:{start}:{path}"
        if isinstance(argument, np.ndarray):
            path = self.file()
            np.save(path, argument)
            return f"in:{TYPES[argument.dtype]}:{path}"
        return argument  # a SPEC as it is

    def __call__(self, path, kernel, grid, block, *arguments, options=()):
        outputs = []
        specs = [self.spec(a, outputs) for a in arguments]
        done = lockstep(
            "exec", path, f"--kernel={kernel}", f"--grid={dims(grid)}", f"--block={dims(block)}",
            *[word for s in specs for word in ("--arg", s)], *options,
        )  # fmt: skip
        assert done.returncode == 0, f"{kernel}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        results = [np.load(path) for path in outputs]
        return results[0] if len(results) == 1 else results


def groups(n, block):
    return max(1, -(-n // block))

# SPDX-License-Identifier: MIT
"""What the tests of the command share: where the build is, and a way to run it."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build")).resolve()
LOCKSTEP = pathlib.Path(os.environ.get("LOCKSTEP_BIN", BUILD / "bin" / "lockstep"))
LIBRARY = pathlib.Path(os.environ.get("LOCKSTEP_LIB", BUILD / "lib" / "liblockstep.so"))
KERNELS = BUILD / "kernels"


def lockstep(*arguments, stdin=None, timeout=120, env=None, cwd=None):
    """Runs the command. A missing program is a failure, not a reason to skip."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
    environment.update(env or {})
    environment = {k: v for k, v in environment.items() if v is not None}
    return subprocess.run(
        [LOCKSTEP, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
        cwd=cwd,
    )


def good(*arguments, **options):
    done = lockstep(*arguments, **options)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def refused(done, *parts):
    """Bad usage or input: status 2, and the message names what it is about."""
    assert done.returncode == 2, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    for part in parts:
        assert part in done.stderr, f"no {part!r} in\n{done.stderr}"


def kernel(name):
    path = KERNELS / f"{name}.gfx1100.w32.co"
    assert path.is_file(), f"{path} is missing: build the target test_kernels"
    return path


@pytest.fixture(scope="session")
def compile_cl(tmp_path_factory):
    """Compiles OpenCL C to a code object."""

    def run(source, *flags, cpu="gfx1100"):
        path = tmp_path_factory.mktemp("cl") / "kernel.co"
        command = ["clang-22", "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={cpu}", "-O2",
                   "-nogpulib", "-w", *flags, "-", "-o", path]  # fmt: skip
        subprocess.run(command, input=source, check=True, text=True)
        return path

    return run

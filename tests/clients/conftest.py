# SPDX-License-Identifier: MIT
"""Set-up of the real-client tests: tinygrad's environment, and proof of which device runs them."""

import os
import pathlib
import shutil
from importlib.metadata import version

import pytest
from results import note

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build")).resolve()


def _first_existing(*names):
    return next((str(n) for n in names if pathlib.Path(n).exists()), None)


def _default(name, value):
    """An environment default that must be in place before tinygrad is imported."""
    if value is not None:
        os.environ.setdefault(name, str(value))


# tinygrad searches for "libLLVM" by itself and may find one that does not know all our targets.
_default(
    "LLVM_PATH",
    _first_existing(
        "/usr/lib/x86_64-linux-gnu/libLLVM.so.22.1", "/usr/lib/llvm-22/lib/libLLVM.so.22.1"
    ),
)
# Its CPU device, which some tests copy to, compiles with $CC and needs that to be a clang.
if clang := shutil.which("clang-22"):
    os.environ["CC"] = clang
_default("PARALLEL", 0)  # kernels are compiled in this process; one test uses workers
if BUILD.is_dir():
    (BUILD / "clients").mkdir(exist_ok=True)
    _default("CACHEDB", BUILD / "clients" / "tinygrad-cache.db")
if os.environ.get("LOCKSTEP_EXPECT_ARCH"):
    _default("DEV", "AMD:LLVM")


@pytest.fixture(scope="session")
def device():
    """The default device of tinygrad. With LOCKSTEP_EXPECT_ARCH set it has to be an AMD GPU of that
    architecture behind the KFD interface and our preload library, and nothing else."""
    from tinygrad import Device

    dev = Device[Device.DEFAULT]
    expected = os.environ.get("LOCKSTEP_EXPECT_ARCH")
    if expected:
        from tinygrad.runtime.ops_amd import KFDIface

        assert Device.DEFAULT == "AMD", f"tests run on {Device.DEFAULT}, not on AMD"
        assert type(dev.iface) is KFDIface, f"tests run through {type(dev.iface).__name__}"
        assert dev.arch == expected, f"device is {dev.arch}, expected {expected}"
        maps = pathlib.Path("/proc/self/maps").read_text()
        assert "liblockstep-kfd.so" in maps, "the preload driver is not loaded"
    return dev


def pytest_report_header():
    expected = os.environ.get("LOCKSTEP_EXPECT_ARCH")
    return (
        f"tinygrad DEV={os.environ.get('DEV', '(its own choice)')}"
        f" expected architecture: {expected or 'any (development run)'}"
    )


@pytest.fixture(autouse=True)
def _proven_device(request):
    """Every test that runs tinygrad in this process first proves its device."""
    module = request.node.path.stem
    if module.startswith("test_tinygrad_") and module != "test_tinygrad_faults":
        request.getfixturevalue("device")


_passed = {}


def pytest_runtest_logreport(report):
    """Counts what passed and failed, by file."""
    if report.when == "call" or report.failed:
        counts = _passed.setdefault(pathlib.Path(report.nodeid.split("::")[0]).stem, [0, 0])
        counts[0] += report.passed
        counts[1] += report.failed


def pytest_sessionfinish():
    """Files of tinygrad's tests that passed as a whole go into the README's table."""
    arch = os.environ.get("LOCKSTEP_EXPECT_ARCH")
    for name, (passed, failed) in _passed.items():
        if arch and name.startswith("test_tinygrad_") and passed and not failed:
            note("tinygrad", version("tinygrad"), arch, name.removeprefix("test_tinygrad_"), passed)

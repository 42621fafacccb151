# SPDX-License-Identifier: MIT
"""rocRAND's own test programs as Debian 13 packages them, unmodified. LOCKSTEP_LONG=1 runs all of them."""

import os
import re

import pytest
import rocm_support as rocm
import sysroot
from test_rocm_trixie import debian  # noqa: F401 (a fixture)

DEVICES = ["gfx1100", "gfx90a"]
# What ends within seconds: of each program the generators that need no long start on the device.
QUICK = {
    "test_log_normal_distribution": "*",
    "test_normal_distribution": "*",
    "test_uniform_distribution": "*",
    "test_rocrand_generator_type": "*",
    "test_rocrand_linkage": "*",
    "test_rocrand_cpp_wrapper": "*uniform*:*normal_dist*:*error*",
}
LONG = bool(os.environ.get("LOCKSTEP_LONG"))


@pytest.fixture(scope="module")
def rocrand():
    try:
        return sysroot.make("trixie", [], ["librocrand1-tests", "librocrand1"])
    except sysroot.Unavailable as reason:
        pytest.skip(str(reason))


def run(name, tests, device, debian, rocrand, tmp_path, monkeypatch, limit):  # noqa: F811
    program = rocrand.root / "usr/libexec/rocm/librocrand1-tests" / name
    monkeypatch.setattr(rocm, "TIMEOUT", limit)
    command = debian.command(program, f"--gtest_filter={tests}", libraries=[rocrand.libraries])
    result = rocm.run(command, device, 1, tmp_path)
    passed = re.search(r"^\[  PASSED  \] (\d+) tests?\.$", result.text, re.M)
    assert result.status == 0 and passed and int(passed[1]) > 0, result.text[-4000:]
    return int(passed[1])


@pytest.mark.skipif(LONG, reason="LOCKSTEP_LONG runs all of every program")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", QUICK)
def test_quick(name, device, debian, rocrand, tmp_path, monkeypatch):  # noqa: F811
    count = run(name, QUICK[name], device, debian, rocrand, tmp_path, monkeypatch, 120)
    rocm.note("rocRAND's tests", "5.7.1 (Debian 13)", device, name.removeprefix("test_"), count)


@pytest.mark.skipif(not LONG, reason="takes hours: LOCKSTEP_LONG=1")
@pytest.mark.parametrize("device", DEVICES)
def test_all(device, debian, rocrand, tmp_path, monkeypatch):  # noqa: F811
    failed = {}
    for program in sorted((rocrand.root / "usr/libexec/rocm/librocrand1-tests").glob("test_*")):
        try:
            run(program.name, "*", device, debian, rocrand, tmp_path, monkeypatch, 3600)
        except Exception as error:  # the rest is run too
            failed[program.name] = str(error)[-2000:]
    assert not failed, failed

# SPDX-License-Identifier: MIT
"""ROCm 5.2.3 as Debian 12 packages it, unmodified, on gfx90a: the tools, and HIP programs compiled with its hipcc."""

import re
import subprocess

import pytest
import rocm_support as rocm

DEVICE = "gfx90a"


@pytest.fixture(scope="module")
def compiler():
    return [rocm.need("hipcc", "hipcc"), f"--offload-arch={DEVICE}"]


@pytest.mark.parametrize("name", rocm.PROGRAMS)
def test_hip_program(name, compiler, tmp_path):
    rocm.check_program(name, [rocm.compile_hip(name, compiler)], DEVICE, tmp_path)
    rocm.note("HIP, compiled by hipcc", "5.2.3 (Debian 12)", DEVICE, name)


@pytest.mark.parametrize("name", ["fault_abort", "fault_address", "fault_assert"])
def test_hip_fault(name, compiler, tmp_path):
    rocm.check_fault(name, [rocm.compile_hip(name, compiler)], DEVICE, tmp_path)
    rocm.note("HIP, compiled by hipcc", "5.2.3 (Debian 12)", DEVICE, name)


def test_rocminfo(tmp_path):
    text = rocm.run([rocm.need("rocminfo", "rocminfo")], DEVICE, 2, tmp_path).text
    assert text.count("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-") == 2, text
    for line in (r"Marketing Name: +AMD Instinct MI210", r"Compute Unit: +104\b", r"Chip ID: +29711\(0x740f\)",
                 r"Wavefront Size: +64\b", r"Max Clock Freq. \(MHz\): +1700", r"Size: +67108864\(0x4000000\) KB"):
        assert len(re.findall(line, text)) in (2, 4), (line, text)  # the pool of a hive is listed fine-grained too
    assert "*** Done ***" in text and "warning" not in text, text
    rocm.note("rocminfo", "5.2.3 (Debian 12)", DEVICE, "two agents")


def test_rocm_agent_enumerator(tmp_path):
    text = rocm.run([rocm.need("rocm_agent_enumerator", "rocminfo")], DEVICE, 1, tmp_path).text
    assert text.split()[-2:] == ["gfx000", DEVICE], text
    rocm.note("rocm_agent_enumerator", "5.2.3 (Debian 12)", DEVICE, "one agent")


def test_kernel_module_is_listed(tmp_path):
    lsmod = rocm.need("lsmod", "kmod")
    assert re.search(r"^amdgpu ", rocm.run([lsmod], DEVICE, 1, tmp_path).text, re.M)
    outside = subprocess.run([lsmod], capture_output=True, text=True)
    assert "lockstep" not in outside.stdout + outside.stderr

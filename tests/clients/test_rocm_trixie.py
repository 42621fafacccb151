# SPDX-License-Identifier: MIT
"""ROCr 6.1.2, HIP 5.7.1 and OpenCL as Debian 13 packages them, unpacked beside the system, on gfx1100 and gfx942."""

import pathlib
import re

import pytest
import rocm_support as rocm
import sysroot

DEVICES = ["gfx1100", "gfx942"]
PACKAGES = ["rocminfo", "libamdhip64-5", "clinfo", "rocm-opencl-icd"]
HIP = ("HIP, compiled by clang 19", "5.7.1 (Debian 13)")


@pytest.fixture(scope="module")
def debian():
    try:
        return sysroot.make("trixie", PACKAGES, ["rocm-device-libs-17"])
    except sysroot.Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def compiler(debian):
    """clang with the headers of the system, and the device libraries of the newer release, which know the targets."""
    clang = rocm.need("clang++-19", "clang-19")
    rocm.need("ld.lld-19", "lld-19")
    rocm.need("hipconfig", "hipcc")
    libraries = debian.find("ockl.bc").parent
    return lambda device: [clang, "-x", "hip", f"--offload-arch={device}", "--rocm-path=/usr", "--hip-path=/usr",
                           f"--rocm-device-lib-path={libraries}", "-mcode-object-version=4"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", rocm.PROGRAMS)
def test_hip_program(name, device, debian, compiler, tmp_path):
    program = rocm.compile_hip(name, compiler(device))
    rocm.check_program(name, debian.command(program), device, tmp_path)
    rocm.note(*HIP, device, name)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["fault_abort", "fault_address", "fault_assert"])
def test_hip_fault(name, device, debian, compiler, tmp_path):
    program = rocm.compile_hip(name, compiler(device))
    rocm.check_fault(name, debian.command(program), device, tmp_path)
    rocm.note(*HIP, device, name)


@pytest.mark.parametrize("device, units, chip", [("gfx1100", 96, "744c"), ("gfx942", 304, "74a1")])
def test_rocminfo(device, units, chip, debian, tmp_path):
    text = rocm.run(debian.command(debian.root / "usr/bin/rocminfo"), device, 1, tmp_path).text
    assert f"amdgcn-amd-amdhsa--{device}" in text and f"(0x{chip})" in text, text
    assert re.search(rf"Compute Unit: +{units}\b", text) and "*** Done ***" in text, text
    rocm.note("rocminfo", "6.1.2 (Debian 13)", device, "one agent")


@pytest.mark.parametrize("device, units", [("gfx1100", 48), ("gfx942", 304)])  # OpenCL counts work-group processors on RDNA
def test_clinfo(device, units, debian, tmp_path):
    environment = {"OCL_ICD_VENDORS": str(debian.root / "etc/OpenCL/vendors")}
    text = rocm.run(debian.command(debian.root / "usr/bin/clinfo"), device, 1, tmp_path, environment).text
    assert "AMD Accelerated Parallel Processing" in text, text
    assert re.search(rf"Device Name +{device}\b", text) and re.search(rf"Max compute units +{units}\b", text), text
    rocm.note("clinfo (OpenCL)", "5.7.1 (Debian 13)", device, "one device")


@pytest.mark.parametrize("device", DEVICES)
def test_opencl_program(device, debian, tmp_path):
    """From source, by the compiler inside the runtime, and again from the binary that it gives."""
    headers = pathlib.Path("/usr/include/CL/cl.h")
    if not headers.exists():
        pytest.skip(f"{headers} is missing (Debian package opencl-c-headers)")
    # The system's C library is older than the one that this libOpenCL is linked with.
    compiler = [rocm.need("g++", "g++"), "-std=c++17", "-Wl,--allow-shlib-undefined"]
    program = rocm.compile_program("opencl/numbers.cpp", compiler, [debian.libraries / "libOpenCL.so.1"])
    environment = {"OCL_ICD_VENDORS": str(debian.root / "etc/OpenCL/vendors")}
    result = rocm.run(debian.command(program), device, 1, tmp_path, environment)
    assert result.status == 0 and result.text.endswith("\nPASSED\n"), result.text
    for item in range(3):
        assert f"item {item} says {1.25 * item:.2f} and more\n" in result.text, result.text
    assert {"scale_add", "sum_groups", "places", "histogram", "functions", "speak"} <= result.kernels, result.kernels
    rocm.note("OpenCL program", "5.7.1 (Debian 13)", device, "numbers")


@pytest.mark.parametrize("device", DEVICES)
def test_eight_devices(device, debian, tmp_path):
    text = rocm.run(debian.command(debian.root / "usr/bin/rocminfo"), device, 8, tmp_path).text
    assert text.count(f"amdgcn-amd-amdhsa--{device}") == 8, text

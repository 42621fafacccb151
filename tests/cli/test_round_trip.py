# SPDX-License-Identifier: MIT
"""Code objects to text and back: `lockstep asm` of what `lockstep disasm` prints gives the same sections."""

import pathlib
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import BUILD, ROOT, good, lockstep
from elf import Elf

KERNELS = sorted((ROOT / "tests" / "kernels").glob("*.cl"))
TARGETS = "gfx90a gfx942 gfx950 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200 gfx1201".split()


def compile_to(kernel, target, path, *flags):
    subprocess.run(["clang-22", "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-nogpulib", "-O2", "-w",
                    *flags, kernel, "-o", path], check=True, capture_output=True, timeout=300)  # fmt: skip
    return path


def loaded(path):
    """What the device sees. The names of lld and of us in .comment are not part of it."""
    sections = Elf(path).sections(loaded_only=True)
    sections.pop(".relro_padding", None)
    return sections


def round_trip(path, relocatable, allowed_raw=0):
    """Problems, as text."""
    text = path.with_suffix(".back.s")
    done = lockstep("disasm", path)
    if done.returncode not in (0, 1):
        return [f"{path.name}: disasm: {done.stderr}"]
    text.write_text(done.stdout)
    again = path.with_suffix(".back" + path.suffix)
    done = lockstep("asm", *(["-c"] if relocatable else []), text, "-o", again)
    if done.returncode != 0:
        return [f"{path.name}: asm: {done.stderr[:1000]}"]
    problems = []
    before, after = Elf(path), Elf(again)
    a, b = (before.sections(), after.sections()) if relocatable else (loaded(path), loaded(again))
    a.pop(".llvm_addrsig", None)
    problems += [f"{path.name}: section {name}" for name in a.keys() | b.keys() if a.get(name) != b.get(name)]
    if before.symbols(".dynsym") != after.symbols(".dynsym"):
        problems.append(f"{path.name}: dynamic symbols")
    if before.relocations() != after.relocations():
        problems.append(f"{path.name}: relocations")
    if (before.flags, before.abi_version) != (after.flags, after.abi_version):
        problems.append(f"{path.name}: flags")
    code = re.findall(r"^  (\S+) .*; [0-9a-f]+: ", text.read_text(), re.M)
    raw = sum(word in (".long", ".byte") for word in code)
    if raw > allowed_raw:
        problems.append(f"{path.name}: {raw} of {len(code)} lines of code are raw words")
    return problems


def raw_words(kernel):
    """Clang writes literals of 16-bit operations with set high bits, which LLVM's text does not show either."""
    return 12 if kernel.stem == "half_math" else 0


@pytest.mark.parametrize("target", TARGETS)
def test_compiled_kernels(tmp_path, target):
    def one(kernel):
        linked = compile_to(kernel, target, tmp_path / f"{kernel.stem}.co")
        unlinked = compile_to(kernel, target, tmp_path / f"{kernel.stem}.o", "-c")
        raw = raw_words(kernel)
        return round_trip(linked, False, raw) + round_trip(unlinked, True, raw)

    with ThreadPoolExecutor(2) as pool:
        problems = [p for some in pool.map(one, KERNELS) for p in some]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    "target,flags",
    [
        ("gfx1100", ["-mwavefrontsize64"]),
        ("gfx1201", ["-mwavefrontsize64", "-O0"]),
        ("gfx90a:xnack+", ["-mcode-object-version=5"]),
        ("gfx942:sramecc+:xnack-", ["-mcode-object-version=4", "-O0"]),
    ],
)
def test_other_settings(tmp_path, target, flags):
    for kernel in KERNELS:
        linked = compile_to(kernel, target, tmp_path / f"{kernel.stem}.co", *flags)
        assert round_trip(linked, False, raw_words(kernel)) == []


def test_text_is_readable():
    text = good("disasm", BUILD / "kernels" / "calls.gfx1100.w32.co").stdout
    assert "twice@rel32@lo+4" in text and "twice@rel32@hi+12" in text
    assert ".amdhsa_kernel calls\n" in text and "\t\t.amdhsa_kernarg_size 280\n" in text
    assert ".amdgpu_metadata" in text and "    .name: calls\n" in text


def test_tables_behind_a_global_offset_table(tmp_path):
    source = """
__constant int table[4] = {1, 2, 3, 4};
__attribute__((visibility("default"))) __constant int shared[4] = {5, 6, 7, 8};
global int counter = 7;
__constant const int* const pointers[2] = {table, shared};
kernel void k(global int* out, int i) { out[0] = pointers[i & 1][i] + shared[i] + table[i] + counter++; }
"""
    path = tmp_path / "k.cl"
    path.write_text(source)
    assert round_trip(compile_to(path, "gfx1100", tmp_path / "k.co", "-cl-std=CL2.0"), False) == []
    assert round_trip(compile_to(path, "gfx942", tmp_path / "k.o", "-c", "-cl-std=CL2.0"), True) == []


def offload_bundle_entries(path):
    """(target, contents) of the bundles inside a host library."""
    data = path.read_bytes()
    for match in re.finditer(b"__CLANG_OFFLOAD_BUNDLE__", data):
        (count,) = struct.unpack_from("<Q", data, match.start() + 24)
        at = match.start() + 32
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, at)
            target = data[at + 24 : at + 24 + length].decode()
            at += 24 + length
            if size:
                yield target.split("--")[1], data[match.start() + offset : match.start() + offset + size]


def test_device_code_of_rocrand(tmp_path):
    """Debian's librocrand1 (tools/packages.txt). Its code for older cards is refused by name."""
    known, others = 0, set()
    for target, contents in offload_bundle_entries(pathlib.Path("/usr/lib/x86_64-linux-gnu/librocrand.so.1")):
        path = tmp_path / f"{target.replace(':', '_')}.co"
        path.write_bytes(contents)
        if target.split(":")[0] in TARGETS:
            known += 1
            # The only raw words are zeros that fill up to the next function.
            assert round_trip(path, False, allowed_raw=8) == []
        else:
            others.add(target.split(":")[0])
            done = lockstep("disasm", path)
            assert done.returncode == 2 and target.split(":")[0] in done.stderr
    assert known == 2 and others == {"gfx803", "gfx900", "gfx906", "gfx908", "gfx1030"}


def code_objects_inside(path):
    """(machine number, contents) of the AMDGPU shared objects that a host library carries as data."""
    data = path.read_bytes()
    for match in re.finditer(b"\x7fELF\x02\x01\x01\x40", data):
        at = match.start()
        (machine,) = struct.unpack_from("<H", data, at + 18)
        (sections,) = struct.unpack_from("<Q", data, at + 0x28)
        (flags,) = struct.unpack_from("<I", data, at + 0x30)
        size, count = struct.unpack_from("<HH", data, at + 0x3A)
        if machine == 224:
            yield flags & 0xFF, data[at : at + sections + size * count]


def test_device_code_of_rocr(tmp_path):
    """The image kernels that Debian's libhsa-runtime64-1 carries for every card that it knows."""
    known, others = 0, 0
    for machine, contents in code_objects_inside(pathlib.Path("/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1")):
        path = tmp_path / f"{machine:x}.co"
        path.write_bytes(contents)
        if machine == 0x3F:  # EF_AMDGPU_MACH_AMDGCN_GFX90A
            known += 1
            assert round_trip(path, False) == []
        else:
            others += 1
            done = lockstep("disasm", path)
            assert done.returncode == 2 and done.stderr
    assert known == 1 and others > 20

# SPDX-License-Identifier: MIT
"""`lockstep asm` on whole files: what clang-22 -S writes gives what llvm-mc-22 and ld.lld-22 make of it."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import ROOT, good, lockstep
from elf import Elf

KERNELS = sorted((ROOT / "tests" / "kernels").glob("*.cl"))
TARGETS = "gfx90a gfx942 gfx950 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200 gfx1201".split()
LLVM = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", "-filetype=obj"]


def run(*command):
    subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, timeout=300)


def compile_to_text(kernel, target, path, *flags):
    run("clang-22", "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-nogpulib", "-O2", "-w", "-S",
        *flags, kernel, "-o", path)  # fmt: skip
    return path


def assemble_with_llvm(source, target, *flags):
    run(*LLVM, f"-mcpu={target.split(':')[0]}", *flags, source, "-o", source.with_suffix(".ref.o"))
    run("ld.lld-22", "-shared", source.with_suffix(".ref.o"), "-o", source.with_suffix(".ref.co"))


def assemble(source, target, *flags):
    good("asm", f"--mcpu={target}", *flags, source, "-o", source.with_suffix(".co"))
    good("asm", f"--mcpu={target}", *flags, "-c", source, "-o", source.with_suffix(".o"))


def dump_lines(path):
    done = subprocess.run(["llvm-dwarfdump-22", "--debug-line", path], capture_output=True, text=True)
    return done.stderr + done.stdout.split("\n", 1)[1]


def address_names(path):
    done = subprocess.run(["llvm-readobj-22", "--addrsig", path], capture_output=True, text=True, check=True)
    return re.findall(r"Sym: (\S+)", done.stdout)


def compare(source):
    """Problems, as text."""
    problems = []
    ours, theirs = Elf(source.with_suffix(".co")), Elf(source.with_suffix(".ref.co"))
    if (ours.flags, ours.abi_version) != (theirs.flags, theirs.abi_version):
        problems.append("flags")
    a, b = ours.sections(loaded_only=True), theirs.sections(loaded_only=True)
    b.pop(".relro_padding", None)
    if a.keys() != b.keys():
        problems.append(f"sections {sorted(a)} and {sorted(b)}")
    problems += [f"section {name}" for name in b if a.get(name) != b[name]]
    if ".debug_line" in theirs.sections():  # strings are in another order, so the text is compared
        text, expected = (dump_lines(source.with_suffix(x)) for x in (".co", ".ref.co"))
        if not expected or text != expected:
            problems.append(f"linked line table: {text}")
    if ours.symbols(".dynsym") != theirs.symbols(".dynsym"):
        problems.append("dynamic symbols")
    if ours.relocations() != theirs.relocations():
        problems.append("dynamic relocations")
    ours, theirs = Elf(source.with_suffix(".o")), Elf(source.with_suffix(".ref.o"))
    a, b = ours.sections(), theirs.sections()
    # Numbers of symbols, whose order is ours.
    a.pop(".llvm_addrsig"), b.pop(".llvm_addrsig")
    if address_names(source.with_suffix(".o")) != address_names(source.with_suffix(".ref.o")):
        problems.append("symbols with a significant address")
    problems += [f"object's section {name}" for name in a.keys() | b.keys() if a.get(name) != b.get(name)]
    if ours.relocations() != theirs.relocations():
        problems.append("object's relocations")
    if sorted(ours.symbols(".symtab")) != sorted(theirs.symbols(".symtab")):
        problems.append("object's symbols")
    for path in (source.with_suffix(".co"), source.with_suffix(".o")):
        done = subprocess.run(["llvm-readelf-22", "-aW", path], capture_output=True, text=True)
        if done.returncode or done.stderr:
            problems.append(f"llvm-readelf: {done.stderr}")
        done = subprocess.run(["llvm-objdump-22", "-d", path], capture_output=True, text=True)
        if done.returncode or done.stderr:
            problems.append(f"llvm-objdump: {done.stderr}")
    return problems


@pytest.mark.parametrize("target", TARGETS)
def test_compiler_output(tmp_path, target):
    def one(kernel):
        source = compile_to_text(kernel, target, tmp_path / f"{kernel.stem}.s")
        assemble_with_llvm(source, target)
        assemble(source, target)
        return [f"{kernel.stem}: {p}" for p in compare(source)]

    with ThreadPoolExecutor(2) as pool:
        problems = [p for list_of in pool.map(one, KERNELS) for p in list_of]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    "target, clang, llvm, ours",
    [
        ("gfx1100", ["-mwavefrontsize64"], ["-mattr=+wavefrontsize64"], ["--mattr=+wavefrontsize64"]),
        ("gfx1201", ["-mwavefrontsize64"], ["-mattr=+wavefrontsize64"], ["--mattr=+wavefrontsize64"]),
        ("gfx1100", ["-mcumode"], ["-mattr=+cumode"], ["--mattr=+cumode"]),
        ("gfx90a:xnack+", ["-mcode-object-version=5"], ["-mattr=+xnack"], []),
        ("gfx942:sramecc+:xnack-", ["-mcode-object-version=4"], ["-mattr=-xnack,+sramecc"], []),
        ("gfx90a:sramecc-", ["-O0"], ["-mattr=-sramecc"], []),
        ("gfx1100", ["-O0"], [], []),
        ("gfx1100", ["-g"], [], []),
        ("gfx90a", ["-g"], [], []),
        ("gfx1200", ["-g", "-O0"], [], []),
        ("gfx942", ["-gdwarf-4"], [], []),
    ],
)
def test_compiler_output_of_other_settings(tmp_path, target, clang, llvm, ours):
    for kernel in KERNELS:
        source = compile_to_text(kernel, target, tmp_path / f"{kernel.stem}.s", *clang)
        assemble_with_llvm(source, target, *llvm)
        assemble(source, target, *ours)
        assert compare(source) == [], kernel.stem


def test_target_from_the_file(tmp_path):
    source = compile_to_text(KERNELS[0], "gfx942:xnack+", tmp_path / "kernel.s")
    good("asm", source)  # no --mcpu
    assert Elf(tmp_path / "kernel.co").flags == 0x74C


@pytest.mark.parametrize("target", ["gfx1100", "gfx942", "gfx1201"])
def test_exec_of_text(tmp_path, target):
    source = compile_to_text(ROOT / "tests" / "kernels" / "vector_add.cl", target, tmp_path / "add.s")
    n = 1000
    a, b = np.random.default_rng(5).standard_normal((2, n), dtype=np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    good("exec", source, "--grid=4", "--block=256", "--arg", f"in:f32:{tmp_path}/a.npy", "--arg",
         f"in:f32:{tmp_path}/b.npy", "--arg", f"out:f32:{n}:{tmp_path}/c.npy", "--arg", f"u32:{n}")  # fmt: skip
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), a + b)


def test_exec_of_wrong_text(tmp_path):
    (tmp_path / "bad.s").write_text("s_mov_b32 s0, 1\ns_move_b32 s0, 1\n")
    done = lockstep("exec", tmp_path / "bad.s", "--mcpu=gfx1100", "--grid=1")
    assert done.returncode == 2
    assert f"{tmp_path}/bad.s:2:1: error: " in done.stderr and "s_mov_b32" in done.stderr

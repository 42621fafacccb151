# SPDX-License-Identifier: MIT
"""liblockstep.so beyond run_asm (which tests/clients covers): exports, decoding, code objects, errors."""

import ctypes
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

from conftest import LIBRARY, ROOT, kernel

OK, ARGUMENT, INPUT, FAULT, LIMIT = 0, -1, -2, -3, -4


class Operand(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint8), ("dwords", ctypes.c_uint8), ("is_written", ctypes.c_uint8),
                ("flags", ctypes.c_uint8), ("reg", ctypes.c_uint32), ("value", ctypes.c_uint32)]  # fmt: skip


class Instruction(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("size", ctypes.c_uint32), ("is_executed", ctypes.c_uint32),
                ("operand_count", ctypes.c_uint32), ("operands", Operand * 16),
                ("mnemonic", ctypes.c_char * 64), ("text", ctypes.c_char * 256)]  # fmt: skip


class Stats(ctypes.Structure):
    _fields_ = [("workgroups", ctypes.c_uint64), ("waves", ctypes.c_uint64),
                ("wave_instructions", ctypes.c_uint64), ("seconds", ctypes.c_double)]  # fmt: skip


@pytest.fixture(scope="module")
def lib():
    lib = ctypes.CDLL(str(LIBRARY))
    text, pointer, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
    u32 = ctypes.c_uint32
    for name, result, arguments in [
        ("lockstep_last_error", text, []),
        ("lockstep_version", text, []),
        ("lockstep_target_count", size, []),
        ("lockstep_target_name", text, [size]),
        ("lockstep_decode", ctypes.c_int, [text, text, size, u32, ctypes.c_uint64, pointer]),
        ("lockstep_code_object_load", pointer, [text, size, text]),
        ("lockstep_code_object_free", None, [pointer]),
        ("lockstep_code_object_target", text, [pointer]),
        ("lockstep_code_object_kernel_count", size, [pointer]),
        ("lockstep_code_object_kernel_name", text, [pointer, size]),
        ("lockstep_kernel_run", ctypes.c_int, [pointer, text, pointer, pointer, pointer, size, u32, pointer]),
        ("run_asm", ctypes.c_int, [text] + [u32] * 7 + [pointer, u32, u32, text, pointer, u32]),
    ]:
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def error(lib):
    return lib.lockstep_last_error().decode()


def test_only_the_c_interface_is_exported():
    names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    symbols = {line.split()[-1].split("@")[0] for line in names.splitlines()} - {"LOCKSTEP_0.1"}
    header = (ROOT / "cli" / "capi" / "lockstep.h").read_text()
    declared = set(re.findall(r"^LOCKSTEP_API[^;]*?[ *](\w+)\(", header, re.M))
    assert symbols == declared and "run_asm" in symbols


@pytest.mark.parametrize("compiler", [["cc", "-x", "c", "-std=c99"], ["c++", "-x", "c++", "-std=c++11"]], ids=["C", "C++"])
def test_header_stands_alone(compiler):
    command = [*compiler, "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/cli/capi", "-fsyntax-only", "-"]
    subprocess.run(command, input="#include <lockstep.h>\n", text=True, check=True)


def test_version_and_targets(lib):
    assert re.fullmatch(rb"\d+\.\d+\.\d+", lib.lockstep_version())
    names = [lib.lockstep_target_name(i) for i in range(lib.lockstep_target_count())]
    assert b"gfx1100" in names and len(set(names)) == 11
    assert lib.lockstep_target_name(len(names)) is None


def decode(lib, hex_bytes, arch=b"rdna3", wave=0):
    code = bytes.fromhex(hex_bytes)
    out = Instruction(struct_size=ctypes.sizeof(Instruction))
    return lib.lockstep_decode(arch, code, len(code), wave, 0, ctypes.byref(out)), out


def test_decode(lib):
    status, inst = decode(lib, "02050406")  # v_add_f32_e32 v2, v2, v2, written v2, v2+256, v2
    assert status == OK, error(lib)
    assert inst.size == 4 and inst.is_executed and inst.mnemonic == b"v_add_f32"
    assert inst.text == b"v_add_f32_e32 v2, v2, v2"
    operands = [(o.kind, o.reg, o.is_written, o.dwords) for o in inst.operands[: inst.operand_count]]
    assert operands == [(2, 2, 1, 1), (2, 2, 0, 1), (2, 2, 0, 1)]
    status, inst = decode(lib, "000052dc02007c02")
    assert status == OK and inst.size == 8 and inst.text == b"global_load_b32 v2, v[2:3], off"


def test_decode_of_a_dual_instruction(lib):
    asm = "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2"
    text = subprocess.run(["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-show-encoding"], input=asm,
                          capture_output=True, text=True, check=True).stdout  # fmt: skip
    encoding = re.search(r"encoding: \[(.*)\]", text)[1].replace("0x", "").replace(",", "")
    status, inst = decode(lib, encoding)
    assert status == OK, error(lib)
    assert [(o.kind, o.reg, o.is_written) for o in inst.operands[: inst.operand_count]] == [
        (2, 0, 1), (2, 1, 0), (2, 3, 1), (2, 2, 0)]  # fmt: skip


def test_decode_refusals(lib):
    for hex_bytes in ("efbeadde", "00", ""):
        status, _ = decode(lib, hex_bytes)
        assert status == INPUT and error(lib), hex_bytes
    status, _ = decode(lib, "0000b0bf", arch=b"gfx7")
    assert status == ARGUMENT and "gfx7" in error(lib)
    status, _ = decode(lib, "0000b0bf", wave=48)
    assert status == ARGUMENT and "48" in error(lib)
    status, _ = decode(lib, "000081bf", arch=b"cdna", wave=32)
    assert status == ARGUMENT and "32" in error(lib)
    code = bytes.fromhex("0000b0bf")
    assert lib.lockstep_decode(b"rdna3", code, 4, 0, 0, ctypes.byref(Instruction())) == ARGUMENT
    assert "struct_size" in error(lib)
    assert lib.lockstep_decode(b"rdna3", code, 4, 0, 0, None) == ARGUMENT
    assert lib.lockstep_decode(None, code, 4, 0, 0, ctypes.byref(Instruction())) == ARGUMENT
    assert lib.lockstep_target_name(0) and error(lib), "calls that cannot fail leave the text alone"


@pytest.fixture
def vector_add(lib):
    data = kernel("vector_add").read_bytes()
    handle = lib.lockstep_code_object_load(data, len(data), None)
    assert handle, error(lib)
    yield handle
    lib.lockstep_code_object_free(handle)


def dims(*sizes):
    return (ctypes.c_uint32 * 3)(*sizes)


def run_add(lib, handle, a, b, c, n, grid=(4, 1, 1), block=(256, 1, 1), size=28, stats=None, name=b"vector_add", lds=0):
    kernarg = np.array([a.ctypes.data, b.ctypes.data, c.ctypes.data, n], np.uint64)
    return lib.lockstep_kernel_run(handle, name, dims(*grid), dims(*block), kernarg.ctypes.data, size, lds,
                                   stats and ctypes.byref(stats))  # fmt: skip


def arrays(n=1000):
    a, b = np.random.default_rng(2).standard_normal((2, n), dtype=np.float32)
    return a, b, np.zeros(n, np.float32)


def test_run_a_kernel(lib, vector_add):
    assert lib.lockstep_code_object_target(vector_add) == b"gfx1100"
    assert lib.lockstep_code_object_kernel_count(vector_add) == 1
    assert lib.lockstep_code_object_kernel_name(vector_add, 0) == b"vector_add"
    assert lib.lockstep_code_object_kernel_name(vector_add, 1) is None
    a, b, c = arrays()
    stats = Stats()
    assert run_add(lib, vector_add, a, b, c, 1000, stats=stats) == OK, error(lib)
    np.testing.assert_array_equal(c, a + b)
    assert stats.workgroups == 4 and stats.waves == 32 and stats.wave_instructions > 32
    assert error(lib) == ""


def test_kernel_refusals(lib, vector_add):
    a, b, c = arrays()
    for change, part in [
        ({"name": b"nonsense"}, "nonsense"),
        ({"grid": (0, 1, 1)}, "grid"),
        ({"block": (1, 0, 1)}, "workgroup"),
        ({"block": (1025, 1, 1)}, "1025"),
        ({"size": 24}, "24"),
        ({"size": 4096}, "4096"),
        ({"lds": 1 << 20}, "dynamic_lds"),
    ]:
        assert run_add(lib, vector_add, a, b, c, 1000, **change) == ARGUMENT, change
        assert part in error(lib), error(lib)
    assert not c.any()
    assert lib.lockstep_kernel_run(None, b"k", dims(1, 1, 1), dims(1, 1, 1), None, 0, 0, None) == ARGUMENT
    assert "object" in error(lib)
    assert lib.lockstep_kernel_run(vector_add, b"vector_add", None, dims(1, 1, 1), None, 0, 0, None) == ARGUMENT
    assert "grid" in error(lib)


def test_kernel_fault(lib, vector_add):
    a, b, _ = arrays()
    kernarg = np.array([a.ctypes.data, b.ctypes.data, 0x10, 1000], np.uint64)
    status = lib.lockstep_kernel_run(vector_add, b"vector_add", dims(1, 1, 1), dims(32, 1, 1), kernarg.ctypes.data, 28, 0, None)
    assert status == FAULT and "vector_add" in error(lib) and "0x10" in error(lib)


def test_load_refusals(lib):
    data = kernel("vector_add").read_bytes()
    assert not lib.lockstep_code_object_load(data, len(data), b"gfx1201") and "gfx1201" in error(lib)
    assert not lib.lockstep_code_object_load(data, len(data), b"gfx7") and "gfx7" in error(lib)
    assert not lib.lockstep_code_object_load(None, 0, None) and "bytes" in error(lib)
    assert lib.lockstep_code_object_load(data, len(data), b"rdna3")
    for length in range(0, len(data), 97):
        handle = lib.lockstep_code_object_load(data[:length], length, None)
        assert error(lib) if not handle else True
        lib.lockstep_code_object_free(handle)


def test_threads_have_their_own_error_and_state(lib, vector_add):
    failures = []

    def work(index):
        for _ in range(20):
            if index % 2:
                if lib.lockstep_code_object_load(b"junk", 4, None) or not error(lib):
                    failures.append(index)
            else:
                a, b, c = arrays(256)
                if run_add(lib, vector_add, a, b, c, 256) != OK or error(lib) or not (c == a + b).all():
                    failures.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_forked_child_runs_kernels(lib, vector_add):
    """The child has none of the parent's worker threads."""
    a, b, c = arrays(4000)
    assert run_add(lib, vector_add, a, b, c, 4000, grid=(16, 1, 1)) == OK
    child = os.fork()
    if child == 0:
        status = run_add(lib, vector_add, a, b, c, 4000, grid=(16, 1, 1))
        os._exit(0 if status == OK else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def endless(environment):
    """run_asm on a loop without end, in a process of its own; returns status and message."""
    program = f"""
import ctypes
lib = ctypes.CDLL({str(LIBRARY)!r})
lib.lockstep_last_error.restype = ctypes.c_char_p
code = ctypes.create_string_buffer(bytes.fromhex("ffffa0bf0000b0bf"))
n = lib.run_asm(code, 8, 1, 1, 1, 32, 1, 1, None, 0x19c, 0, b"rdna3", None, 0)
print(n, lib.lockstep_last_error().decode())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60,
                          env={**os.environ, **environment})  # fmt: skip
    status, _, message = done.stdout.partition(" ")
    return int(status), message


def test_instruction_limit():
    status, message = endless({"LOCKSTEP_MAX_INSTRUCTIONS": "1000"})
    assert status == LIMIT and "limit" in message.lower()


def test_bad_environment_is_an_error():
    status, message = endless({"LOCKSTEP_THREADS": "many"})
    assert status == ARGUMENT and "LOCKSTEP_THREADS" in message and "many" in message
    status, message = endless({"LOCKSTEP_ENGINE": "fast"})
    assert status == ARGUMENT and "LOCKSTEP_ENGINE" in message

# SPDX-License-Identifier: MIT
"""How the run_asm tests assemble small programs and call the library's C entry point."""

import ctypes
import functools
import mmap
import os
import pathlib
import subprocess
import tempfile

from conftest import BUILD

LIBRARY = pathlib.Path(os.environ.get("LOCKSTEP_LIB", BUILD / "lib" / "liblockstep.so"))
RSRC2 = 0x19C  # what callers pass by default: 14 user SGPRs, work-group ids X and Y
RSRC1_DEFAULT, RSRC1_KEEP_DENORMALS = 0xAC0000, 0xAF0000
WAVE32, WAVE64 = 0x8005, 0x5


@functools.cache
def library():
    lib = ctypes.CDLL(str(LIBRARY))  # a missing library is a failure
    u32, pointer = ctypes.c_uint32, ctypes.c_void_p
    lib.run_asm.argtypes = [
        pointer,
        u32,
        u32,
        u32,
        u32,
        u32,
        u32,
        u32,
        pointer,
        u32,
        u32,
        ctypes.c_char_p,
        pointer,
        u32,
    ]
    lib.run_asm.restype = ctypes.c_int
    lib.run_asm_set_state.argtypes, lib.run_asm_set_state.restype = [u32, u32, u32], None
    lib.lockstep_last_error.argtypes, lib.lockstep_last_error.restype = [], ctypes.c_char_p
    return lib


@functools.cache
def assemble(source, cpu="gfx1100", features=""):
    with tempfile.TemporaryDirectory() as folder:
        obj, raw = f"{folder}/k.o", f"{folder}/k.bin"
        subprocess.run(
            [
                "llvm-mc-22",
                "-triple=amdgcn-amd-amdhsa",
                f"-mcpu={cpu}",
                f"-mattr={features}",
                "-filetype=obj",
                "-o",
                obj,
            ],
            input=source,
            text=True,
            check=True,
        )
        subprocess.run(["llvm-objcopy-22", "-O", "binary", "-j", ".text", obj, raw], check=True)
        return pathlib.Path(raw).read_bytes()


def address(array):
    return array.ctypes.data


def run(
    code,
    grid=(1, 1, 1),
    block=(32, 1, 1),
    pointers=(),
    rsrc2=RSRC2,
    scratch=0,
    arch="rdna3",
    user_data=None,
):
    """Calls run_asm with 64-bit kernel arguments; returns its result and the error text."""
    lib = library()
    code = assemble(code) if isinstance(code, str) else code
    holder = ctypes.create_string_buffer(code, len(code))
    kernarg = (ctypes.c_uint64 * max(1, len(pointers)))(
        *[p if isinstance(p, int) else address(p) for p in pointers]
    )
    data = (ctypes.c_uint32 * len(user_data))(*user_data) if user_data is not None else None
    result = lib.run_asm(
        ctypes.addressof(holder),
        len(code),
        *grid,
        *block,
        ctypes.addressof(kernarg),
        rsrc2,
        scratch,
        arch.encode(),
        data,
        len(user_data) if user_data is not None else 0,
    )
    return result, (lib.lockstep_last_error() or b"").decode()


def run_well(*args, **kwargs):
    result, error = run(*args, **kwargs)
    assert result == 0, f"run_asm returned {result}: {error}"


def store(register, index="v0"):
    """Stores a register to the array at the first kernel argument, at [index]; uses v30, s[8:9]."""
    return f"""
      s_load_b64 s[8:9], s[0:1], 0x0
      v_lshlrev_b32 v30, 2, {index}
      s_waitcnt lgkmcnt(0)
      global_store_b32 v30, {register}, s[8:9]
    """


def guarded_pages(protection=mmap.PROT_READ | mmap.PROT_WRITE):
    """The address of a fresh page after which comes one without any access right."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    start = libc.mmap(None, 2 * mmap.PAGESIZE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    assert start not in (None, ctypes.c_void_p(-1).value)
    assert libc.mprotect(start, mmap.PAGESIZE, protection) == 0
    return start

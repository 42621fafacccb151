# SPDX-License-Identifier: MIT
"""Errors of run_asm: what fails returns a negative code, and the message names the cause."""

import ctypes
import mmap
import re

import numpy as np
import pytest

from machine_code import RSRC2, assemble, guarded_pages, library, run, run_well, store


def test_unknown_word_is_named():
    code = assemble("v_mov_b32 v1, v0\ns_nop 0") + bytes.fromhex("efbeadde") + assemble("s_endpgm")
    result, error = run(code)
    assert result < 0
    assert re.search(r"deadbeef|ef ?be ?ad ?de", error, re.I), error


def test_code_without_end():
    result, error = run(assemble("v_mov_b32 v1, v0"))
    assert result < 0 and error


LOAD = """
  s_load_b64 s[8:9], s[0:1], 0x0
  v_lshlrev_b32 v30, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_b32 v1, v30, s[8:9]
  s_waitcnt vmcnt(0)
  s_endpgm
"""
STORE = store("v0") + "s_endpgm"


@pytest.mark.parametrize("code", [LOAD, STORE], ids=["load", "store"])
def test_end_of_memory_names_address_and_lane(code):
    start = guarded_pages()
    result, error = run(code, pointers=[start + mmap.PAGESIZE - 4 * 20])
    assert result < 0
    assert f"{start + mmap.PAGESIZE:x}" in error.lower(), error
    assert re.search(r"lane 20\b", error), error
    assert ("global_load_b32" if code is LOAD else "global_store_b32") in error, error


@pytest.mark.parametrize(
    "where", [0x10, 0x7FFF_FFFF_F000, 0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_FF00], ids=hex
)
@pytest.mark.parametrize("code", [LOAD, STORE], ids=["load", "store"])
def test_wild_pointers(code, where):
    result, error = run(code, pointers=[where])
    assert result < 0 and f"{where:x}" in error.lower(), error


def test_read_only_memory():
    start = guarded_pages(mmap.PROT_READ)
    run_well(LOAD, pointers=[start])
    result, error = run(STORE, pointers=[start])
    assert result < 0 and f"{start:x}" in error.lower(), error


def test_unreadable_kernarg_and_code():
    lib = library()
    code = assemble(LOAD)
    holder = ctypes.create_string_buffer(code, len(code))
    common = (1, 1, 1, 32, 1, 1)
    assert (
        lib.run_asm(ctypes.addressof(holder), len(code), *common, 0x18, RSRC2, 0, b"rdna3", None, 0)
        < 0
    )
    assert b"0x18" in lib.lockstep_last_error()
    assert lib.run_asm(None, len(code), *common, None, RSRC2, 0, b"rdna3", None, 0) < 0
    assert lib.run_asm(0x1000, 64, *common, None, RSRC2, 0, b"rdna3", None, 0) < 0
    assert b"0x1000" in lib.lockstep_last_error()


@pytest.mark.parametrize(
    "change,word",
    [
        ({"arch": "rdna99"}, "rdna99"),
        ({"arch": ""}, "arch"),
        ({"block": (0, 1, 1)}, "0"),
        ({"block": (1025, 1, 1)}, "1025"),
        ({"block": (64, 64, 1)}, "4096"),
    ],
    ids=str,
)
def test_bad_arguments(change, word):
    result, error = run("s_endpgm", **change)
    assert result < 0 and word in error, error


def test_empty_grid_runs_nothing():
    out = np.full(32, 7, np.uint32)
    run(STORE, grid=(0, 1, 1), pointers=[out])
    assert (out == 7).all()


def test_an_error_does_not_outlive_its_call():
    result, _ = run(LOAD, pointers=[0x10])
    assert result < 0
    out = np.zeros(32, np.uint32)
    run_well(STORE, pointers=[out])
    assert (out == np.arange(32)).all()


def test_scratch_outside_the_grant_is_an_error():
    result, error = run("scratch_store_b32 off, v0, off offset:64\ns_endpgm", scratch=32)
    assert result < 0 and "scratch" in error.lower(), error

# SPDX-License-Identifier: MIT
"""run_asm as in-process mock drivers call it: raw machine code and host addresses."""

import ctypes
import threading

import numpy as np
import pytest

from machine_code import (
    RSRC1_DEFAULT,
    RSRC1_KEEP_DENORMALS,
    RSRC2,
    WAVE32,
    WAVE64,
    address,
    assemble,
    library,
    run,
    run_well,
    store,
)


@pytest.fixture(autouse=True)
def _default_state():
    library().run_asm_set_state(RSRC1_DEFAULT, 0, WAVE32)
    yield
    library().run_asm_set_state(RSRC1_DEFAULT, 0, WAVE32)


GLOBAL_INDEX = """
  s_lshl_b32 s7, s14, 5
  v_add_nc_u32 v20, s7, v0
"""


# --- what a wave starts with -------------------------------------------------------------------
@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 64, 100, 256, 1024])
def test_lane_numbers(size):
    out = np.full(size + 64, 0xCCCCCCCC, np.uint32)
    run_well(store("v0") + "s_endpgm", block=(size, 1, 1), pointers=[out])
    assert (out[:size] == np.arange(size)).all()
    assert (out[size:] == 0xCCCCCCCC).all(), "lanes that do not exist wrote something"


@pytest.mark.parametrize("block", [(8, 4, 2), (3, 5, 7), (1, 1, 64), (32, 2, 1)])
def test_three_dimensional_lane_numbers(block):
    lx, ly, lz = block
    out = np.zeros(lx * ly * lz, np.uint32)
    code = (
        f"""
      v_and_b32 v1, 0x3ff, v0
      v_bfe_u32 v2, v0, 10, 10
      v_bfe_u32 v3, v0, 20, 10
      s_movk_i32 s4, {ly}
      s_movk_i32 s5, {lx}
      v_mad_u32_u24 v4, v3, s4, v2
      v_mad_u32_u24 v4, v4, s5, v1
    """
        + store("v0", "v4")
        + "s_endpgm"
    )
    run_well(code, block=block, pointers=[out])
    z, y, x = np.meshgrid(range(lz), range(ly), range(lx), indexing="ij")
    assert (out == (x + (y << 10) + (z << 20)).ravel()).all()


def test_partial_last_wave_has_partial_exec():
    out = np.zeros(40, np.uint32)
    run_well(
        "v_mov_b32 v1, exec_lo\nv_mov_b32 v2, exec_hi\nv_or_b32 v1, v1, v2"
        + store("v1")
        + "s_endpgm",
        block=(40, 1, 1),
        pointers=[out],
    )
    assert (out[:32] == 0xFFFFFFFF).all() and (out[32:] == 0xFF).all()


@pytest.mark.parametrize(
    "rsrc2,names",
    [
        (0x19C, {"x": 14, "y": 15}),
        (0x39C, {"x": 14, "y": 15, "z": 16}),
        (0x84, {"x": 2}),
        (0x204, {"z": 2}),
        (0x30A, {"y": 5, "z": 6}),
        (0x39E, {"x": 15, "y": 16, "z": 17}),
    ],
    ids=lambda v: hex(v) if isinstance(v, int) else "".join(v),
)
def test_workgroup_ids(rsrc2, names):
    grid = (3, 4, 2)
    for name, register in names.items():
        out = np.full(4, 77, np.uint32)
        # one cell a value of this id; every work-group with that id writes the same
        run_well(
            f"v_mov_b32 v5, s{register}" + store("v5", "v5") + "s_endpgm",
            grid=grid,
            block=(1, 1, 1),
            pointers=[out],
            rsrc2=rsrc2,
        )
        count = grid["xyz".index(name)]
        assert out.tolist() == list(range(count)) + [77] * (4 - count), name


def test_every_workgroup_runs_once():
    out = np.zeros((5, 7, 11), np.uint32)
    code = """
      s_load_b64 s[8:9], s[0:1], 0x0
      s_mul_i32 s20, s16, 7
      s_add_u32 s20, s20, s15
      s_mul_i32 s20, s20, 11
      s_add_u32 s20, s20, s14
      s_lshl_b32 s20, s20, 2
      v_mov_b32 v1, s20
      v_mov_b32 v2, 1
      s_waitcnt lgkmcnt(0)
      global_atomic_add_u32 v1, v2, s[8:9]
      s_endpgm
    """
    run_well(code, grid=(11, 7, 5), block=(37, 1, 1), pointers=[out], rsrc2=0x39C)
    assert (out == 37).all()


def test_other_registers_start_at_zero():
    registers = ["s2", "s7", "s13", "s17", "s50", "s105", "vcc_lo", "v1", "v2", "v31", "v100"]
    out = np.full((len(registers), 32), 5, np.uint32)
    code = "".join(
        f"v_mov_b32 v40, {r}\nv_add_nc_u32 v41, {32 * i}, v0\n" + store("v40", "v41")
        for i, r in enumerate(registers)
    )
    # s8, s9 and v30 belong to the store itself
    run_well(code + "s_endpgm", pointers=[out])
    assert (out == 0).all(), dict(zip(registers, out.max(1)))


def test_user_data_replaces_the_kernarg_pointer():
    out = np.zeros(16, np.uint32)
    data = [address(out) & 0xFFFFFFFF, address(out) >> 32] + [100 + i for i in range(12)]
    code = "".join(
        f"v_mov_b32 v1, s{i}\nv_mov_b32 v2, {4 * i}\nglobal_store_b32 v2, v1, s[0:1]\n"
        for i in range(2, 14)
    )
    run_well(code + "s_endpgm", block=(1, 1, 1), user_data=data)
    assert out[2:14].tolist() == data[2:]


def test_no_kernarg_at_all():
    lib, code = library(), assemble("v_mov_b32 v1, 3\ns_endpgm")
    holder = ctypes.create_string_buffer(code, len(code))
    assert (
        lib.run_asm(
            ctypes.addressof(holder),
            len(code),
            1,
            1,
            1,
            32,
            1,
            1,
            None,
            RSRC2,
            0,
            b"gfx1100",
            None,
            0,
        )
        == 0
    )


def test_wave64_by_the_dispatch_initiator():
    out = np.zeros((2, 100), np.uint32)
    code = assemble(
        "v_mov_b32 v1, exec_hi\nv_mov_b32 v2, exec_lo\nv_add_nc_u32 v3, 100, v0"
        + store("v1")
        + store("v2", "v3")
        + "s_endpgm",
        features="+wavefrontsize64",
    )
    library().run_asm_set_state(RSRC1_DEFAULT, 0, WAVE64)
    run_well(code, block=(100, 1, 1), pointers=[out])
    assert (
        (out[0, :64] == 0xFFFFFFFF).all()
        and (out[0, 64:] == 0xF).all()
        and (out[1] == 0xFFFFFFFF).all()
    )


# --- LDS, barriers, scratch --------------------------------------------------------------------
def with_lds(size):
    return RSRC2 | (-(-size // 512) << 15)


def test_lds_across_waves():
    out = np.zeros((6, 256), np.uint32)
    code = (
        """
      v_lshlrev_b32 v1, 2, v0
      s_lshl_b32 s7, s14, 8
      v_add_nc_u32 v2, s7, v0
      ds_store_b32 v1, v2
      s_waitcnt lgkmcnt(0)
      s_barrier
      v_sub_nc_u32 v3, 0x3fc, v1
      ds_load_b32 v4, v3
      s_waitcnt lgkmcnt(0)
    """
        + store("v4", "v2")
        + "s_endpgm"
    )
    run_well(code, grid=(6, 1, 1), block=(256, 1, 1), pointers=[out], rsrc2=with_lds(1024))
    assert (out == np.arange(6 * 256).reshape(6, 256)[:, ::-1]).all()


def test_lds_starts_at_zero_and_ends_where_it_was_granted():
    out = np.full((9, 32), 1, np.uint32)
    code = (
        f"""
      v_lshlrev_b32 v1, 2, v0
      v_mov_b32 v5, 9
      ds_load_b32 v2, v1 offset:256
      ds_store_b32 v1, v5 offset:256
      ds_store_b32 v1, v5 offset:4096
      ds_load_b32 v3, v1 offset:4096
      s_waitcnt lgkmcnt(0)
      v_lshl_or_b32 v2, v3, 8, v2
      {GLOBAL_INDEX}
    """
        + store("v2", "v20")
        + "s_endpgm"
    )
    run_well(code, grid=(9, 1, 1), pointers=[out], rsrc2=with_lds(512))
    assert (out == 0).all(), "LDS was not cleared for each work-group, or exists beyond its end"


@pytest.mark.parametrize(
    "how,value",
    [
        ("scratch_store_b32 off, v20, off offset:8", "scratch_load_b32 v6, off, off offset:8"),
        ("s_mov_b32 s20, 12\nscratch_store_b32 off, v20, s20", "scratch_load_b32 v6, off, s20"),
        ("v_and_b32 v5, 12, v0\nscratch_store_b32 v5, v20, off", "scratch_load_b32 v6, v5, off"),
        (
            "v_and_b32 v5, 4, v0\ns_mov_b32 s20, 8\nscratch_store_b32 v5, v20, s20 offset:4",
            "scratch_load_b32 v6, v5, s20 offset:4",
        ),
    ],
    ids=["immediate", "saddr", "vaddr", "both"],
)
def test_scratch_is_private(how, value):
    """Each lane of each wave has its own bytes; waves that run in between do not disturb them."""
    out = np.zeros((5, 96), np.uint32)
    code = (
        f"""
      s_mul_i32 s7, s14, 96
      v_add_nc_u32 v20, s7, v0
      {how}
      s_waitcnt_vscnt null, 0x0
      s_barrier
      {value}
      s_waitcnt vmcnt(0)
    """
        + store("v6", "v20")
        + "s_endpgm"
    )
    run_well(code, grid=(5, 1, 1), block=(96, 1, 1), pointers=[out], scratch=32)
    assert (out == np.arange(5 * 96).reshape(5, 96)).all()


# --- arithmetic state --------------------------------------------------------------------------
def test_f32_denormals_follow_the_state():
    out = np.zeros((2, 32), np.float32)
    code = (
        """
      v_mov_b32 v1, 0x00400000
      v_mul_f32 v2, 1.0, v1
      v_cvt_f16_f32 v3, 0x33800000
      v_mul_f16 v3, 1.0, v3
      v_cvt_f32_f16 v3, v3
      v_add_nc_u32 v4, 32, v0
    """
        + store("v2")
        + store("v3", "v4")
        + "s_endpgm"
    )
    run_well(code, pointers=[out])
    assert (out[0] == 0).all(), "f32 denormals are flushed by default"
    assert (out[1] == np.float32(2.0**-24)).all(), "f16 denormals are kept"
    library().run_asm_set_state(RSRC1_KEEP_DENORMALS, 0, WAVE32)
    run_well(code, pointers=[out])
    assert (out[0].view(np.uint32) == 0x400000).all()


def test_scalar_float_of_rdna35():
    out = np.zeros(32, np.float32)
    run_well(
        assemble(
            "s_add_f32 s4, 1.0, 2.0\nv_mov_b32 v1, s4" + store("v1") + "s_endpgm", cpu="gfx1150"
        ),
        pointers=[out],
    )
    assert (out == 3.0).all()


def test_unused_fields_are_ignored():
    """Hardware ran such words: a no-return LDS atomic with a destination, a dual move with a
    second source."""
    out = np.zeros(32, np.uint32)
    atomic = bytearray(assemble("ds_add_u32 v1, v2"))
    atomic[7] = 9
    dual = bytearray(assemble("v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v7, v8"))
    dual[1] |= 0x0C  # VSRCX1 = v6
    code = (
        assemble("v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 5\nv_mov_b32 v5, 3\nv_mov_b32 v8, 4")
        + atomic
        + dual
        + assemble(
            "ds_load_b32 v3, v1\ns_waitcnt lgkmcnt(0)\n"
            "v_lshl_or_b32 v3, v4, 4, v3\nv_lshl_or_b32 v3, v7, 8, v3" + store("v3") + "s_endpgm"
        )
    )
    run_well(bytes(code), pointers=[out], rsrc2=with_lds(512))
    assert (out == 0x435).all()


# --- code and its end --------------------------------------------------------------------------
def test_code_size_may_reach_beyond_the_program():
    out = np.zeros(32, np.uint32)
    run_well(assemble(store("v0") + "s_endpgm") + b"\xff" * 4096, pointers=[out])
    assert (out == np.arange(32)).all()


def test_branches_and_loops():
    out = np.zeros(64, np.uint32)
    code = (
        """
      v_mov_b32 v1, 0
      s_mov_b32 s4, 0
      s_mov_b32 s10, exec_lo
    loop:
      v_add_nc_u32 v1, v1, s4
      s_add_u32 s4, s4, 1
      v_cmpx_lt_u32 s4, v0
      s_cbranch_execnz loop
      s_mov_b32 exec_lo, s10
    """
        + store("v1")
        + "s_endpgm"
    )
    run_well(code, block=(64, 1, 1), pointers=[out])
    assert (out == [sum(range(max(n, 1))) for n in range(64)]).all()


def test_calls_from_several_threads():
    outs, results = [np.zeros(64 * 1024, np.uint32) for _ in range(4)], []
    code = assemble(
        "s_lshl_b32 s7, s14, 6\nv_add_nc_u32 v20, s7, v0\n" + store("v20", "v20") + "s_endpgm"
    )

    def work(out):
        results.append(run(code, grid=(1024, 1, 1), block=(64, 1, 1), pointers=[out]))

    threads = [threading.Thread(target=work, args=(o,)) for o in outs]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(r == 0 for r, _ in results), results
    assert all((o == np.arange(64 * 1024)).all() for o in outs)

# SPDX-License-Identifier: MIT
"""One instruction on the emulator: a program around it, seeded inputs, what it leaves behind."""

import ctypes
import functools
import json
import os
import pathlib
import random
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build")).resolve()
LANES = 24  # cases of a vector row; the lanes above are switched off
CASES = 16  # cases of a scalar row
SLOT = 32  # bytes of input and of output of one case
TARGETS = {"rdna3": "gfx1150", "rdna4": "gfx1201", "cdna": "gfx950"}
KEEP_DENORMALS = 0xAF0000
SCALAR = ("SOP1", "SOP2", "SOPC")
VECTOR = ("VOP1", "VOP2", "VOP3", "VOPC", "VOP3SD", "VOP3P")

# Their effect is on what follows, or they need true16 names: tests/emu has tests of their own.
NOT_COVERED = ("s_setpc_b64", "s_swappc_b64", "s_rfe_b64", "s_setvskip", "v_mov_b16", "v_swap_b16")

SPECIAL = {
    16: [0, 0x8000, 1, 0x3FF, 0x400, 0x3800, 0x3C00, 0xBC00, 0x4200, 0x7BFF, 0x7C00, 0xFC00]
    + [0x7E01, 0x7C01, 0xFE00, 0x5640],
    32: [0, 0x80000000, 1, 0x7FFFFF, 0x800000, 0x3F000000, 0x3F800000, 0xBF800000, 0x40400000]
    + [0x4B000001, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00001, 0x7F800001, 0xC2C80000],
    64: [0, 1 << 63, 1, 0xFFFFFFFFFFFFF, 1 << 52, 0x3FE << 52, 0x3FF << 52, 0xBFF << 52]
    + [0x4008 << 48, 0x7FEFFFFFFFFFFFFF, 0x7FF << 52, 0xFFF << 52, (0x7FF8 << 48) | 1]
    + [(0x7FF << 52) | 1, 0x4330000000000001, 0xC059 << 48],
}
INTEGERS = [0, 1, 2, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000]


def tool(*arguments, text=None):
    command = [str(BUILD / "bin" / "lockstep"), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@functools.cache
def rows(target):
    return json.loads(tool("isa", f"--mcpu={target}", "--json"))["rows"]


@functools.cache
def library():
    lib = ctypes.CDLL(str(BUILD / "lib" / "liblockstep.so"))
    u32, pointer = ctypes.c_uint32, ctypes.c_void_p
    lib.run_asm.argtypes = [pointer, *[u32] * 7, pointer, u32, u32, ctypes.c_char_p, pointer, u32]
    lib.run_asm_set_state.argtypes = [u32, u32, u32]
    lib.lockstep_last_error.restype = ctypes.c_char_p
    return lib


def width_of(operand):
    kind = operand["type"]
    if operand["registers"] == 2:
        return 64
    return 16 if kind in ("F16", "BF16", "B16", "I16", "U16") else 32


def draw(generator, operand):
    """Bits of one source: a special value, a small number or anything."""
    width = width_of(operand)
    kind = operand["type"]
    choice = generator.random()
    packed = kind.startswith("PK_") and width == 32
    if packed or kind == "MIX":
        half = {"registers": 1, "type": "F16" if "F16" in kind or kind == "MIX" else "U16"}
        return draw(generator, half) | draw(generator, half) << 16
    if choice < 0.5 and "F" in kind:
        return generator.choice(SPECIAL[width])
    if choice < 0.5 and kind[0] in "UIB":
        sign = generator.choice((1, -1))
        return sign * generator.choice(INTEGERS) & ((1 << width) - 1)
    return generator.getrandbits(width)


def inputs_of(row, seed):
    """The state of each case: sources, old result, SCC; and masks that all cases share."""
    generator = random.Random(f"{row['name']} {seed}")
    scalar = row["format"] in SCALAR
    sources = row["operands"]["sources"]
    cases = []
    for _ in range(CASES if scalar else LANES):
        values = [draw(generator, o) if o["type"] != "MASK" else 0 for o in sources]
        values += [0] * (3 - len(values))
        case = {"s": values[:3], "d": generator.getrandbits(64), "scc": generator.getrandbits(1)}
        cases.append(case)
    masks = {"vcc": generator.getrandbits(32), "exec": generator.getrandbits(LANES) | 1}
    for lane, case in enumerate(cases):
        case["vcc"] = masks["vcc"] >> lane & 1
    return cases, masks


def pair(first, registers, kind="v"):
    return f"{kind}[{first}:{first + registers - 1}]" if registers > 1 else f"{kind}{first}"


def arithmetic_rows(target):
    """The rows that the oracle is about."""
    return [r for r in rows(target) if r["format"] in SCALAR + VECTOR and r["executed"]]


def operand_text(row, wave64):
    """The instruction with its operands in fixed registers; None if the shape is not covered."""
    if row["name"].startswith("v_s_") or row["name"] in NOT_COVERED:
        return None
    scalar = row["format"] in SCALAR
    kind, first = ("s", 8) if scalar else ("v", 4)
    out = []
    vcc = "vcc" if wave64 else "vcc_lo"
    results, sources = row["operands"]["results"], row["operands"]["sources"]
    compare = row["format"] == "VOPC"
    for o in results:
        if o["type"] == "MASK":
            out.append(vcc)
        elif o["type"] == "EXEC_MASK":
            if wave64:
                out.append(vcc)
        elif o["place"] == "sgpr":
            out.append("s12")
        else:
            out.append(pair(first + 6, o["registers"], kind))
    for i, o in enumerate(sources):
        if o["registers"] > 2 or o["type"] in ("SIMM16", "LABEL", "SENDMSG_RTN", "SET", "HWREG"):
            return None
        if o["place"] == "literal":
            return None
        out.append(vcc if o["type"] == "MASK" else pair(first + 2 * i, o["registers"], kind))
    if any(o["registers"] > 2 for o in results):
        return None
    suffix = "_e32" if compare else "_e64" if "VOP3" in row["forms"] and not scalar else ""
    carry = row["format"] == "VOP2" and any(o["type"] == "MASK" for o in results + sources)
    if row["format"] in ("VOP3", "VOP3SD", "VOP3P") or scalar or carry:
        suffix = "_e32" if carry and row["format"] == "VOP2" else ""
    return f"{row['name']}{suffix} {', '.join(out)}".strip()


def program(row, target, masks):
    """Assembly lines; s[0:1] is the input, s[2:3] the output."""
    wave64, gfx9 = target == "gfx950", target == "gfx950"
    text = operand_text(row, wave64)
    if text is None:
        return None
    wide = ("global_load_dwordx4", "global_store_dwordx4") if gfx9 else (
        "global_load_b128", "global_store_b128")
    quad = "s_load_dwordx4" if gfx9 else "s_load_b128"
    low, full = masks["exec"], "s_mov_b64 exec, -1" if wave64 else "s_mov_b32 exec_lo, -1"
    lines = []
    if row["format"] in SCALAR:
        lines.append("v_mov_b32 v1, 0")
        for i in range(CASES):
            lines += [
                f"{quad} s[8:11], s[0:1], {i * SLOT}",
                f"{quad} s[12:15], s[0:1], {i * SLOT + 16}",
                "s_mov_b32 s20, s14",
                "s_mov_b32 s21, s15",
                "s_mov_b32 s14, s12",
                "s_mov_b32 s15, s13",
                f"s_mov_b32 exec_lo, {low:#x}",
                "s_mov_b32 exec_hi, 0",
                "s_cmp_lg_u32 s20, 0",
                text,
                "s_cselect_b32 s22, 1, 0",
                "s_mov_b32 s23, exec_lo",
                full,
                "v_mov_b32 v2, s14",
                "v_mov_b32 v3, s15",
                "v_mov_b32 v4, s22",
                "v_mov_b32 v5, s23",
                f"{wide[1]} v1, v[2:5], s[2:3] offset:{i * SLOT}",
            ]
    else:
        lines += [
            "v_and_b32 v1, 0x3ff, v0",
            "v_lshlrev_b32 v1, 5, v1",
            f"{wide[0]} v[4:7], v1, s[0:1]",
            f"{wide[0]} v[8:11], v1, s[0:1] offset:16",
            f"s_mov_b32 vcc_lo, {masks['vcc']:#x}",
            f"s_mov_b32 exec_lo, {low:#x}",
        ]
        lines += ["s_mov_b32 vcc_hi, 0", "s_mov_b32 exec_hi, 0"] if wave64 else []
        lines += [
            text,
            "s_mov_b32 s23, exec_lo",
            full,
            "v_mov_b32 v12, vcc_lo",
            "v_mov_b32 v13, s23",
            f"{wide[1]} v1, v[10:13], s[2:3]",
        ]
        if any(o["place"] == "sgpr" for o in row["operands"]["results"]):
            lines[-3:-3] = ["v_mov_b32 v10, s12"]
    return lines + ["s_endpgm"]


def assemble(programs, target):
    """Code of each program, or the text of its first error; one assembler serves them all."""
    lines = [line for program in programs for line in program]
    text = "\n".join(lines) + "\n"
    answers = iter(tool("asm", f"--mcpu={target}", "--lines", "-", text=text).split("\n"))
    out = []
    for program in programs:
        texts = [next(answers) for _ in program]
        wrong = [f"{a}: {b}" for a, b in zip(program, texts) if b.startswith("error")]
        out.append(wrong[0] if wrong else bytes.fromhex("".join(texts)))
    return out


def execute(code, target, row, cases):
    """What each case leaves: result, then (scalar) SCC and EXEC or (vector) VCC and EXEC."""
    scalar = row["format"] in SCALAR
    count = 64
    data = bytearray(count * SLOT)
    for i, case in enumerate(cases):
        a, b, c = case["s"]
        if scalar:
            packed = struct.pack("<QQQII", a, b, case["d"], case["scc"], 0)
        else:
            packed = struct.pack("<QQQQ", a, b, c, case["d"])
        data[i * SLOT : (i + 1) * SLOT] = packed
    source = ctypes.create_string_buffer(bytes(data), len(data))
    result = ctypes.create_string_buffer(count * SLOT)
    holder = ctypes.create_string_buffer(code, len(code))
    pointers = ctypes.addressof(source), ctypes.addressof(result)
    words = (ctypes.c_uint32 * 4)(*[w for p in pointers for w in (p & 0xFFFFFFFF, p >> 32)])
    lib = library()
    wave64 = target == "gfx950"
    lib.run_asm_set_state(KEEP_DENORMALS, 0, 0x5 if wave64 else 0x8005)
    lanes = 64 if wave64 else 32
    status = lib.run_asm(
        ctypes.addressof(holder), len(code), 1, 1, 1, lanes, 1, 1, None, 4 << 1, 0,
        target.encode(), words, 4)
    if status != 0:
        raise ValueError((lib.lockstep_last_error() or b"").decode())
    stride = SLOT
    return [struct.unpack_from("<QII", result.raw, i * stride) for i in range(len(cases))]

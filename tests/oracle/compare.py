# SPDX-License-Identifier: MIT
"""Comparison of results: any NaN equals any NaN; functions with an error may be 1 off."""

from corrections import corrected
from machine import SCALAR
from typed_numbers import FLOATS

INEXACT = ("v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_", "v_s_")



def is_nan(bits, width):
    exponent, fraction = FLOATS["f", width]
    magnitude = bits & ((1 << (width - 1)) - 1)
    return magnitude > ((1 << exponent) - 1) << fraction


def same(a, b, width, kind, name):
    a, b = a & ((1 << width) - 1), b & ((1 << width) - 1)
    if a == b:
        return True
    if kind.startswith("PK_") and width == 32 and "F" in kind:
        return all(same(a >> s, b >> s, 16, "F16", name) for s in (0, 16))
    if kind == "PK_F32":
        return all(same(a >> s, b >> s, 32, "F32", name) for s in (0, 32))
    if kind in ("F16", "F32", "F64") and is_nan(a, width) and is_nan(b, width):
        return True
    if kind == "BF16" and min(a & 0x7FFF, b & 0x7FFF) > 0x7F80:
        return True
    return name.startswith(INEXACT) and "F" in kind and abs(a - b) <= 1


def explained(name, case, want, have, width, kind):
    """Is the result what docs/errata.md says instead of the text?"""
    right = corrected(name, case, want)
    return right is not None and same(right, have, width, kind, name)


def differences(row, cases, expected, got, width, kind):
    """Lines that say where `got` is not what was expected. `expected` is what the text says."""
    results, vcc, execute = expected
    lines = []
    name = row["name"]
    for lane, (case, want, have) in enumerate(zip(cases, results, got)):
        where = f"{name} case {lane} of {[hex(s) for s in case['s']]}"
        right = not width or same(want[0], have[0], width, kind, name)
        if not right and not explained(name, case, want[0], have[0], width, kind):
            lines.append(f"{where}: {have[0]:#x}, the text says {want[0]:#x}")
        if row["format"] in SCALAR:
            if want[1] != have[1]:
                lines.append(f"{where}: SCC {have[1]}, the text says {want[1]}")
            if want[2] & 0xFFFFFFFF != have[2]:
                lines.append(f"{where}: EXEC {have[2]:#x}, the text says {want[2]:#x}")
    if row["format"] not in SCALAR:
        for label, want, have in (("VCC", vcc, got[0][1]), ("EXEC", execute, got[0][2])):
            if want & 0xFFFFFF != have & 0xFFFFFF:
                lines.append(f"{name}: {label} {have:#x}, the text says {want:#x}")
    return lines

# SPDX-License-Identifier: MIT
"""Source modifiers: a row's text with seeded ones, and what its sources then are."""

import random

import machine

SIGNED = ("F16", "F32", "F64")
HALVES = ("PK_F16", "PK_F32", "PK_BF16")
# These rows read op_sel or neg in a way of their own.
OWN_WAY = ("v_dot", "v_fma_mix", "v_pk_mov")


def with_signs(row, text, cases, generator):
    """neg and abs of sources in the long form; None if the row has no source that takes them."""
    sources = row["operands"]["sources"]
    floats = [i for i, o in enumerate(sources) if o["type"] in SIGNED]
    writes_exec = any(o["type"] == "EXEC_MASK" for o in row["operands"]["results"])
    if not floats or writes_exec or "VOP3" not in row["forms"] + [row["format"][:4]]:
        return None
    chosen = {i: generator.choice(("-{}", "|{}|", "-|{}|")) for i in floats}
    mnemonic, operands = text.split(" ", 1)
    parts = operands.split(", ")
    first = len(parts) - len(sources)
    for i, form in chosen.items():
        parts[first + i] = form.format(parts[first + i])
    suffix = "" if row["format"] in ("VOP3", "VOP3SD") else "_e64"
    base = mnemonic.removesuffix("_e32").removesuffix("_e64")

    def changed(values):
        for i, form in chosen.items():
            top = 1 << (machine.width_of(sources[i]) - 1)
            values[i] = values[i] & ~top if "|" in form else values[i]
            values[i] ^= top if "-" in form else 0
        return values

    return f"{base}{suffix} {', '.join(parts)}", [{**c, "s": changed([*c["s"]])} for c in cases]


def with_halves(row, text, cases, generator):
    """op_sel, op_sel_hi, neg_lo and neg_hi of packed sources."""
    sources = row["operands"]["sources"]
    packed = [i for i, o in enumerate(sources) if o["type"].startswith("PK_")]
    if not packed or row["name"].startswith(OWN_WAY):
        return None

    def bits(allowed, otherwise):
        return [generator.randrange(2) if i in allowed else otherwise for i in range(len(sources))]

    floats = [i for i in packed if sources[i]["type"] in HALVES]
    low, high, neg_low, neg_high = bits(packed, 0), bits(packed, 1), bits(floats, 0), bits(floats, 0)
    fields = [("op_sel", low), ("op_sel_hi", high)]
    fields += [("neg_lo", neg_low), ("neg_hi", neg_high)] if floats else []
    words = "".join(f" {name}:[{','.join(map(str, value))}]" for name, value in fields)

    def changed(values):
        for i in packed:
            width = 32 if sources[i]["registers"] == 2 else 16
            halves = [values[i] >> s & ((1 << width) - 1) for s in (0, width)]
            a = halves[low[i]] ^ neg_low[i] << (width - 1)
            b = halves[high[i]] ^ neg_high[i] << (width - 1)
            values[i] = a | b << width
        return values

    return text + words, [{**c, "s": changed([*c["s"]])} for c in cases]


def modified(row, cases, lines, wave64, seed):
    """(lines of the program, cases as the instruction sees them), or None."""
    generator = random.Random(f"{row['name']} {seed} modifiers")
    if row["format"] in machine.SCALAR:
        return None
    text = machine.operand_text(row, wave64)
    make = with_halves if row["format"] == "VOP3P" else with_signs
    made = make(row, text, cases, generator)
    if made is None:
        return None
    return [made[0] if line == text else line for line in lines], made[1]

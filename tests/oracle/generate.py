# SPDX-License-Identifier: MIT
"""Writes tests/data/oracle_vectors.json.gz: what each arithmetic row must leave behind.

    LOCKSTEP_BUILD=build LOCKSTEP_ISA_FACTS=FOLDER python tests/oracle/generate.py

FOLDER holds the ISA's pseudocode as data (ARCH.pseudocode.json, names.tsv). The numbers are
computed here from seeded inputs; rows whose text cannot be evaluated are left out. Where a text is
known to be wrong (corrections.py), the test that reads the numbers knows what is right.
"""

import gzip
import json
import os

import expected
import machine
import modifiers

FILE = machine.ROOT / "tests" / "data" / "oracle_vectors.json.gz"
SEED = 1


def evaluated_rows(facts, arch, seed, with_modifiers=False):
    """Yields (row, cases, cases as modified, expected, lines) of every row that can be evaluated."""
    target = machine.TARGETS[arch]
    texts, names = expected.texts_of(facts, arch), expected.amd_names(facts, arch)
    for row in machine.arithmetic_rows(target):
        name = names.get(row["name"], row["name"])
        cases, masks = machine.inputs_of(row, seed)
        lines, seen = machine.program(row, target, masks), cases
        if lines is None or not texts.get(name):
            continue
        if with_modifiers:
            made = modifiers.modified(row, cases, lines, arch == "cdna", seed)
            if made is None:
                continue
            lines, seen = made
        try:
            want = expected.evaluate(texts, row, name, seen, masks, arch != "cdna")
        except expected.Unevaluable:
            continue
        yield row, cases, seen, want, lines


def stored_form(row, results, vcc, execute):
    width, _ = expected.result_width(row)
    digits = width // 4
    mask = (1 << width) - 1
    values = "".join(f"{r[0] & mask:0{digits}x}" for r in results if width)
    scalar = row["format"] in machine.SCALAR
    return [values, [[r[1], r[2] & 0xFFFFFFFF] for r in results] if scalar else [vcc, execute]]


def main():
    out = {"seed": SEED}
    facts = os.environ["LOCKSTEP_ISA_FACTS"]
    for arch in machine.TARGETS:
        for kind, with_modifiers in (("", False), ("+modifiers", True)):
            out[arch + kind] = {
                row["name"]: stored_form(row, *want)
                for row, _, _, want, _ in evaluated_rows(facts, arch, SEED, with_modifiers)
            }
    text = json.dumps(out, separators=(",", ":"), sort_keys=True)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(FILE, {name: len(rows) for name, rows in out.items() if name != "seed"})


if __name__ == "__main__":
    main()

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

FILE = machine.ROOT / "tests" / "data" / "oracle_vectors.json.gz"
SEED = 1


def evaluated_rows(facts, arch, seed):
    """Yields (row, cases, expected, lines) of every row that can be evaluated and run."""
    target = machine.TARGETS[arch]
    texts, names = expected.texts_of(facts, arch), expected.amd_names(facts, arch)
    for row in machine.arithmetic_rows(target):
        name = names.get(row["name"], row["name"])
        cases, masks = machine.inputs_of(row, seed)
        lines = machine.program(row, target, masks)
        if lines is None or not texts.get(name):
            continue
        try:
            want = expected.evaluate(texts, row, name, cases, masks, arch != "cdna")
        except expected.Unevaluable:
            continue
        yield row, cases, want, lines


def main():
    out = {"seed": SEED}
    for arch in machine.TARGETS:
        rows = {}
        for row, _, (results, vcc, execute), _ in evaluated_rows(
            os.environ["LOCKSTEP_ISA_FACTS"], arch, SEED
        ):
            width, _ = expected.result_width(row)
            digits = width // 4
            mask = (1 << width) - 1
            values = "".join(f"{r[0] & mask:0{digits}x}" for r in results if width)
            scalar = row["format"] in machine.SCALAR
            flags = [[r[1], r[2] & 0xFFFFFFFF] for r in results] if scalar else [vcc, execute]
            rows[row["name"]] = [values, flags]
        out[arch] = rows
    text = json.dumps(out, separators=(",", ":"), sort_keys=True)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(FILE, {arch: len(out[arch]) for arch in machine.TARGETS})


if __name__ == "__main__":
    main()

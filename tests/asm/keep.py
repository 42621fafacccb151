#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds lines or words (--words) from standard input to tests/data/*_found.txt, with the answers of llvm-mc.

`keep.py TARGET[:w64][:true16].. < LINES`. What versions 19 and 22 do not agree on is left out, as is what they leave
open (relocations, crashes).
"""

import sys

import llvm_mc
from llvm_mc import REFUSED, ROOT, UNDECIDED, Mode


def modes(names):
    for name in names:
        target, *options = name.split(":")
        wave = 64 if "w64" in options or target.startswith("gfx9") else 32
        yield Mode(target, wave, "true16" in options)


def agreed(mode, oracle, items):
    answers = [oracle(mode, version, items) for version in mode.versions]
    for item, *given in zip(items, *answers):
        if len(set(given)) == 1 and given[0] != UNDECIDED:
            yield item, given[0]


def main(arguments):
    words = "--words" in arguments
    items = list(dict.fromkeys(line.strip() for line in sys.stdin if line.strip()))
    found = {}
    for mode in modes(a for a in arguments if a != "--words"):
        target = mode.target + (":true16" if mode.true16 else "")
        wave = "any" if target.startswith("gfx9") else str(mode.wave)
        oracle = llvm_mc.disassemble if words else llvm_mc.assemble
        for item, answer in agreed(mode, oracle, items):
            if words and answer == REFUSED:
                entry = "asm", wave, item, "-"
            elif words:
                entry = "vectors", wave, item, answer
            else:
                entry = "asm", wave, "-" if answer == REFUSED else answer, item
            found.setdefault(entry, []).append(target)
    for kind in ("asm", "vectors"):
        path = ROOT / "tests" / "data" / f"{kind}_found.txt"
        lines = path.read_text().splitlines()
        known = set(lines)
        new = [f"{','.join(targets)} {' '.join(entry[1:])}" for entry, targets in found.items() if entry[0] == kind]
        lines += [line for line in new if line not in known]
        path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

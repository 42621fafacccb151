#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes facts_*.txt.gz from tables of instruction-set facts (tab-separated, see README.md for the columns).

    update_facts.py DIRECTORY

DIRECTORY holds ARCH.formats.tsv and ARCH.operands.tsv for rdna3, rdna4 and cdna, and symbols.tsv.
"""
import collections
import csv
import gzip
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
# The target that a table describes.
TARGETS = {"cdna": "gfx950", "rdna3": "gfx1150", "rdna4": "gfx1200"}


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def write(name, header, lines):
    data = "\n".join([f"# {header}", *lines]) + "\n"
    (HERE / name).write_bytes(gzip.compress(data.encode(), mtime=0))
    print(f"{name}: {len(lines)} lines")


def fields(directory):
    for arch, target in TARGETS.items():
        for r in rows(directory / f"{arch}.formats.tsv"):
            low, high = int(r["lo"]), int(r["hi"])
            value = int(r["fixed"], 0) if r["kind"] == "fixed" else "-"
            yield f"{target} {r['format']} {r['size_bits']} {r['field']} {low} {high - low + 1} {value}"


def operands(directory):
    for arch, target in TARGETS.items():
        found = collections.defaultdict(list)
        for r in rows(directory / f"{arch}.operands.tsv"):
            data = r["data_format"].removeprefix("NUM_")
            found[r["format"], int(r["opcode"]), r["mnemonic"]].append(f"{r['field']}:{r['size_bits']}:{data}")
        for (form, opcode, name), parts in found.items():
            yield f"{target} {form} {opcode} {name} {' '.join(parts)}"


def symbols(directory):
    for r in rows(directory / "symbols.tsv"):
        if "Invalid" in r["text"] or (r["kind"].startswith("ssrc") and r["text"].startswith("0x")):
            continue  # a literal, or what llvm-mc says about a word that it takes with a warning
        yield f"{r['mcpu']}\t{r['kind']}\t{r['code']}\t{r['text']}"


def main():
    directory = pathlib.Path(sys.argv[1])
    write("facts_fields.txt.gz", "target format bits field low width value", list(fields(directory)))
    write("facts_operands.txt.gz", "target format opcode mnemonic field:bits:type ..", list(operands(directory)))
    write("facts_symbols.txt.gz", "target, kind, code, text", list(symbols(directory)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Disassembles the bytes of tests/data/vectors_*.txt.gz again with llvm-mc and rewrites their text.

With --check it only reports differences and exits with 1 if there are any. --assembly DIRECTORY makes
asm_*.txt.gz anew from lists of lines and bytes: TARGET.tsv, TARGET.true16.tsv, TARGET.err.tsv and
TARGET.dis_err.tsv (or the same with .gz), whose columns tests/data/README.md names.
"""
import argparse
import collections
import gzip
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SEPARATOR, SEPARATOR_TEXT = "[0x5a,0x5a,0x80,0xbf]", "s_nop 0x5a5a"


def command(target, wave):
    """llvm-mc for a target: LLVM 22 where 19 does not know it."""
    mcpu, _, mode = target.partition(":")
    attributes = ["+real-true16"] if mode == "true16" else []
    if wave == "64" and not mcpu.startswith("gfx9"):
        attributes.append("+wavefrontsize64")
    version = "22" if mode == "true16" or mcpu == "gfx950" else "19"
    return [f"llvm-mc-{version}", "-triple=amdgcn-amd-amdhsa", f"-mcpu={mcpu}", "--disassemble",
            *(["-mattr=" + ",".join(attributes)] if attributes else [])]


def disassemble(target, wave, words):
    """Text of each word; None where llvm-mc finds no single instruction."""
    source = "".join("[" + ",".join("0x" + w[i:i + 2] for i in range(0, len(w), 2)) + f"]\n{SEPARATOR}\n" for w in words)
    run = subprocess.run(command(target, wave), input=source, capture_output=True, text=True, check=False)
    bad = {(int(m[1]) - 1) // 2 for m in re.finditer(r"^<stdin>:(\d+):\d+: (?:error|warning)", run.stderr, re.M)}
    texts, current = [], []
    for line in run.stdout.split("\n"):
        text = re.sub(r"\s+", " ", line.split("; ")[0]).strip()
        if not text or text.startswith("."):
            continue
        if text == SEPARATOR_TEXT:
            texts.append(current[0] if len(current) == 1 and len(texts) not in bad else None)
            current = []
        else:
            current.append(text)
    if len(texts) != len(words):
        sys.exit(f"llvm-mc answered {len(texts)} of {len(words)} words for {target}")
    return texts


def update(path, check):
    header, *lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    groups = collections.defaultdict(list)
    for line in lines:
        targets, wave, word, text = line.split(" ", 3)
        for target in targets.split(","):
            groups[target, wave].append((word, text))
    changes, entries = 0, collections.defaultdict(list)
    for (target, wave), items in groups.items():
        for (word, old), new in zip(items, disassemble(target, wave, [w for w, _ in items])):
            if new != old:
                changes += 1
                print(f"{path.name}: {target} {wave} {word}: {old!r} -> {new!r}")
            if new is not None:
                entries[wave, word, new].append(target)
    print(f"{path.name}: {len(lines)} lines, {changes} differences")
    if not check:
        ordered = sorted((",".join(t), e) for e, t in entries.items())
        ordered.sort(key=lambda item: (item[0], item[1][2], item[1][1]))
        text = header + "\n" + "".join(f"{t} {w} {h} {x}\n" for t, (w, h, x) in ordered)
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return changes


ASSEMBLY_HEADER = ("# targets wave bytes text: what llvm-mc assembles; no bytes (-) = refused, no text (-) = bytes that it "
                   "refuses")


def rows(directory, name):
    """Rows of a list with a header line, as dictionaries; none if the target has no such list."""
    plain, packed = directory / f"{name}.tsv", directory / f"{name}.tsv.gz"
    if not plain.exists() and not packed.exists():
        return
    text = plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()).decode()
    header, *lines = text.splitlines()
    for line in lines:
        yield dict(zip(header.split("\t"), line.split("\t")))


def make_assembly(directory):
    """Writes asm_*.txt.gz."""
    families = collections.defaultdict(lambda: collections.defaultdict(set))
    for mcpu in ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1150", "gfx1200"):
        entries = families["gfx9" if mcpu.startswith("gfx9") else mcpu[:5]]
        for suffix in ("", ".true16"):
            for row in rows(directory, mcpu + suffix):
                if row["dir"] != "dis":
                    entries[row["wave"], row["hex"], row["asm"]].add(mcpu + suffix.replace(".", ":"))
        for row in rows(directory, mcpu + ".err"):
            entries[row["wave"], "-", row["asm"]].add(mcpu)
        for row in rows(directory, mcpu + ".dis_err"):
            entries["any", row["hex"], "-"].add(mcpu)
    for family, entries in families.items():
        ordered = sorted((",".join(sorted(targets)), entry) for entry, targets in entries.items())
        text = ASSEMBLY_HEADER + "\n" + "".join(f"{t} {w} {h} {x}\n" for t, (w, h, x) in ordered)
        (HERE / f"asm_{family}.txt.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        print(f"asm_{family}.txt.gz: {len(ordered)} lines")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="report only")
    parser.add_argument("--assembly", metavar="DIRECTORY", type=pathlib.Path, help="make asm_*.txt.gz anew")
    options = parser.parse_args()
    if options.assembly:
        make_assembly(options.assembly)
        return 0
    changes = sum(update(path, options.check) for path in sorted(HERE.glob("vectors_*.txt.gz")))
    return 1 if options.check and changes else 0


if __name__ == "__main__":
    sys.exit(main())

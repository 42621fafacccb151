# SPDX-License-Identifier: MIT
"""Random words and mutated lines through llvm-mc and through us: same acceptance, same text, same bytes.

Half of the items are words, half are lines; what an accepted word prints is assembled as well. Differences that belong to
no class of tests/data/differential_exceptions.txt are shown, made small, and may be one in a thousand at most.
LOCKSTEP_LONG=1: two million items a target instead of 50,000, and every class must occur.
LOCKSTEP_SEED=N: another seed. LOCKSTEP_COUNT=N: so many items. LOCKSTEP_DIFFERENCES=PATH: all differences in files.
"""

import collections
import os
import random
import re

import llvm_mc
import mutations
import pytest
from llvm_mc import REFUSED, UNDECIDED, Mode, ours

LONG = "LOCKSTEP_LONG" in os.environ
COUNT = int(os.environ.get("LOCKSTEP_COUNT", 2_000_000 if LONG else 50_000))
SEED = int(os.environ.get("LOCKSTEP_SEED", 1))
CHUNK = 50_000
SHOWN = 12
TOLERATED = 1 / 1000
EXCEPTIONS = llvm_mc.ROOT / "tests" / "data" / "differential_exceptions.txt"

TARGETS = {
    "gfx1100": [Mode("gfx1100", 32), Mode("gfx1100", 64), Mode("gfx1100", 32, true16=True)],
    "gfx1150": [Mode("gfx1150", 32)],
    "gfx1200": [Mode("gfx1200", 32), Mode("gfx1200", 64), Mode("gfx1200", 32, true16=True)],
    "gfx90a": [Mode("gfx90a", 64)],
    "gfx942": [Mode("gfx942", 64)],
    "gfx950": [Mode("gfx950", 64)],
}
DIRECTIONS = {"asm": llvm_mc.assemble, "disasm": llvm_mc.disassemble}
Difference = collections.namedtuple("Difference", "mode direction item theirs ours")


class Exceptions:
    """Classes of differences that have a reason: `DIRECTION TARGETS REGEX`, the reason above. The expression is
    searched in "input => llvm-mc's answer => our answer"."""

    def __init__(self):
        self.rules = []
        for line in EXCEPTIONS.read_text().splitlines():
            if line and line[0] != "#":
                direction, targets, expression = line.split(" ", 2)
                assert direction in DIRECTIONS, line
                self.rules.append((line, direction, targets.split(","), re.compile(expression)))
        self.used = collections.Counter()

    def covers(self, difference):
        mode = difference.mode
        text = f"{difference.item} => {difference.theirs} => {difference.ours}"
        names = {"all", mode.target, mode.target + (":true16" if mode.true16 else ":fake16")}
        for line, direction, targets, expression in self.rules:
            if direction == difference.direction and names & set(targets) and expression.search(text):
                self.used[line] += 1
                return True
        return False


def compare(mode, direction, items, counts=None):
    """The differences on which no version of llvm-mc stands against another."""
    oracle = DIRECTIONS[direction]
    counts = collections.Counter() if counts is None else counts
    answers = ours(direction, mode, items)
    first, *others = mode.versions
    theirs = oracle(mode, first, items)
    counts["accepted"] += sum(t not in (REFUSED, UNDECIDED) for t in theirs)
    found = [Difference(mode, direction, *x) for x in zip(items, theirs, answers) if x[1] != x[2]]
    for version in others:
        again = oracle(mode, version, [d.item for d in found])
        pairs = list(zip(found, again))
        counts["undecided"] += sum(d.theirs != a for d, a in pairs)
        found = [d for d, a in pairs if d.theirs == a]
    counts["undecided"] += sum(d.theirs == UNDECIDED for d in found)
    return [d for d in found if d.theirs != UNDECIDED]


def smaller(difference):
    """Lines with a word less, words with a bit less."""
    item = difference.item
    if difference.direction == "disasm":
        value, size = int.from_bytes(bytes.fromhex(item), "little"), len(item) // 2
        bits = (b for b in range(size * 8) if value >> b & 1)
        return [(value & ~(1 << b)).to_bytes(size, "little").hex() for b in bits]
    words = item.split(" ")
    return [" ".join(words[:i] + words[i + 1 :]) for i in range(1, len(words))]


def shrunk(difference, rounds=8):
    for _ in range(rounds):
        candidates = [c for c in smaller(difference) if c]
        same = lambda d: (d.theirs == REFUSED, d.ours == REFUSED)  # noqa: E731
        found = compare(difference.mode, difference.direction, candidates) if candidates else []
        found = [d for d in found if same(d) == same(difference)]
        if not found:
            break
        difference = found[-1]
    return difference


def run(target, exceptions):
    counts, bad = collections.Counter(), []
    modes = TARGETS[target]
    todo = COUNT // 2 // len(modes)
    for mode in modes:
        for chunk, at in enumerate(range(0, todo, CHUNK)):
            size = min(CHUNK, todo - at)
            source = random.Random(f"{SEED}:{mode.name}:{chunk}")
            words = mutations.words(source, mode, size)
            lines = mutations.lines(source, mode, size)
            found = compare(mode, "disasm", words, counts)
            # What a word prints is a line as well.
            lines += [t for t in ours("disasm", mode, words) if t != REFUSED]
            found += compare(mode, "asm", lines, counts)
            counts["words"] += len(words)
            counts["lines"] += len(lines)
            new = [d for d in found if not exceptions.covers(d)]
            counts["excepted"] += len(found) - len(new)
            bad += new
    print(f"{target} seed {SEED}: {dict(counts)}, {len(bad)} differ")
    if dump := os.environ.get("LOCKSTEP_DIFFERENCES"):
        with open(f"{dump}.{target}", "w") as file:
            for d in bad:
                file.write("\t".join([d.mode.name, d.direction, *d[2:]]) + "\n")
    return counts, bad


@pytest.fixture(scope="session")
def exceptions():
    return Exceptions()


@pytest.mark.parametrize("target", TARGETS)
def test_equal_llvm(target, exceptions):
    if not llvm_mc.installed():
        pytest.skip("llvm-mc-19 or llvm-mc-22 is not installed")
    counts, bad = run(target, exceptions)
    assert counts["accepted"] > (counts["words"] + counts["lines"]) / 5, "too much is refused"
    limit = (counts["words"] + counts["lines"]) * TOLERATED
    text = []
    for d in bad[:SHOWN] if len(bad) > limit else []:
        small = shrunk(d)
        text.append(f"{d.mode.name} {d.direction}: {d.item}\n  smallest: {small.item}")
        text.append(f"  llvm-mc: {small.theirs}\n  lockstep: {small.ours}")
    assert len(bad) <= limit, f"{target}, seed {SEED}: {len(bad)} of {counts}\n" + "\n".join(text)


def test_every_exception_occurs(exceptions):
    if not LONG:
        pytest.skip("set LOCKSTEP_LONG=1")
    unused = [line for line, *_ in exceptions.rules if not exceptions.used[line]]
    assert not unused, "no longer needed:\n" + "\n".join(unused)

# SPDX-License-Identifier: MIT
"""Arithmetic rows against stored results of the oracle (tests/oracle/generate.py)."""

import gzip
import json

import compare
import expected
import generate
import machine
import modifiers
import pytest

VECTORS_OF = {}
VECTORS = json.loads(gzip.decompress(generate.FILE.read_bytes()))


def stored(row, width):
    """Results, VCC and EXEC of a row in the shape that the evaluator gives."""
    text, flags = VECTORS_OF[row["name"]]
    digits = width // 4
    scalar = row["format"] in machine.SCALAR
    count = machine.CASES if scalar else machine.LANES
    values = [int(text[i * digits : (i + 1) * digits], 16) if width else 0 for i in range(count)]
    if scalar:
        return [(v, *f) for v, f in zip(values, flags)], 0, 0
    return [(v, 0, 0) for v in values], *flags


@pytest.mark.parametrize("kind", ["", "+modifiers"])
@pytest.mark.parametrize("arch", list(machine.TARGETS))
def test_rows_leave_the_stored_results(arch, kind):
    global VECTORS_OF
    VECTORS_OF = VECTORS[arch + kind]
    target, seed = machine.TARGETS[arch], VECTORS["seed"]
    work = []
    for row in machine.arithmetic_rows(target):
        if row["name"] not in VECTORS_OF:
            continue
        cases, masks = machine.inputs_of(row, seed)
        lines, seen = machine.program(row, target, masks), cases
        if kind:
            lines, seen = modifiers.modified(row, cases, lines, arch == "cdna", seed)
        work.append((row, cases, seen, lines))
    assert len(work) == len(VECTORS_OF) > (150 if kind else 500)
    wrong = []
    for (row, cases, seen, _), code in zip(work, machine.assemble([w[3] for w in work], target)):
        assert isinstance(code, bytes), code
        width, kind_of_result = expected.result_width(row)
        got = machine.execute(code, target, row, cases)
        wrong += compare.differences(row, seen, stored(row, width), got, width, kind_of_result)
    assert not wrong, "\n".join(wrong[:20])

# SPDX-License-Identifier: MIT
"""Arithmetic rows against the ISA's pseudocode itself, on new random inputs in each run.

LOCKSTEP_ISA_FACTS names the folder with the texts, which are no part of the project.
"""

import os
import random

import compare
import expected
import generate
import machine
import pytest

FACTS = os.environ.get("LOCKSTEP_ISA_FACTS")


@pytest.mark.skipif(not FACTS, reason="LOCKSTEP_ISA_FACTS does not name the folder of the texts")
@pytest.mark.parametrize("arch", list(machine.TARGETS))
def test_rows_do_what_the_text_says(arch):
    seed = int(os.environ.get("LOCKSTEP_SEED", random.getrandbits(32)))
    target = machine.TARGETS[arch]
    work = list(generate.evaluated_rows(FACTS, arch, seed))
    wrong, ran = [], 0
    for (row, cases, want, _), code in zip(work, machine.assemble([w[3] for w in work], target)):
        assert isinstance(code, bytes), code
        ran += 1
        width, kind = expected.result_width(row)
        got = machine.execute(code, target, row, cases)
        wrong += compare.differences(row, cases, want, got, width, kind)
    share = ran / len(machine.arithmetic_rows(target))
    print(f"{arch}: {ran} rows evaluated, {share:.1%} of the arithmetic rows")
    assert not wrong, f"seed {seed}:\n" + "\n".join(wrong[:20])
    assert share > 0.83

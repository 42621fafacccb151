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
@pytest.mark.parametrize("with_modifiers", [False, True], ids=["plain", "modifiers"])
@pytest.mark.parametrize("arch", list(machine.TARGETS))
def test_rows_do_what_the_text_says(arch, with_modifiers):
    seed = int(os.environ.get("LOCKSTEP_SEED", random.getrandbits(32)))
    target = machine.TARGETS[arch]
    work = list(generate.evaluated_rows(FACTS, arch, seed, with_modifiers))
    wrong = []
    for (row, cases, seen, want, _), code in zip(
        work, machine.assemble([w[4] for w in work], target)
    ):
        assert isinstance(code, bytes), code
        width, kind = expected.result_width(row)
        got = machine.execute(code, target, row, cases)
        wrong += compare.differences(row, seen, want, got, width, kind)
    share = len(work) / len(machine.arithmetic_rows(target))
    print(f"{arch}: {len(work)} rows evaluated, {share:.1%} of the arithmetic rows")
    assert not wrong, f"seed {seed}:\n" + "\n".join(wrong[:20])
    assert share > (0.2 if with_modifiers else 0.83)

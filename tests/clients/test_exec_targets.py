# SPDX-License-Identifier: MIT
"""The OpenCL kernels on every target: one case of each test of the other test_exec_ files."""

import pytest
import test_exec_arithmetic as arithmetic
import test_exec_kernels as kernels
from exec_support import Launch

RDNA = ("gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1200", "gfx1201")
CDNA = ("gfx90a", "gfx942", "gfx950")
CASES = [
    (kernels.test_vector_add, 1000, 256),
    (kernels.test_reduction, 5000, 256),
    (kernels.test_tiled_matmul, 33, 17, 50),
    (kernels.test_histogram, 5000, 300),
    (kernels.test_scratch, 1000),
    (kernels.test_calls, 1000, "co"),
    (kernels.test_struct_args, 33),
    (kernels.test_ids, (2, 3, 1), (16, 8, 4)),
    (kernels.test_const_table, 1000, "co"),
    (kernels.test_control_flow, 200),
    (kernels.test_atomics, 1000, 64),
    (arithmetic.test_f64_math, 1000),
    (arithmetic.test_int64, 1000),
    (arithmetic.test_int32, 1000),
    (arithmetic.test_f32_math, 1000),
    (arithmetic.test_half, 1000),
    (arithmetic.test_narrow_memory, 1000),
    (arithmetic.test_packed_short, 1000),
    (arithmetic.test_wide_memory, 1000),
    (arithmetic.test_across_lanes, 3),
]


@pytest.mark.parametrize("wave", [f"{t}.w32" for t in RDNA] + [f"{t}.w64" for t in CDNA])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].__name__.removeprefix("test_"))
def test_every_target(tmp_path, wave, case):
    test, *arguments = case
    test(Launch(tmp_path), wave, *arguments)


def test_no_test_is_left_out():
    """A new test of a kernel needs a case here."""
    every = {
        getattr(module, name)
        for module in (kernels, arithmetic)
        for name in vars(module)
        if name.startswith("test_")
    }
    assert every == {case[0] for case in CASES}

# SPDX-License-Identifier: MIT
"""Arithmetic kernels run by `lockstep exec`: every width, and work across lanes, against NumPy."""

import numpy as np
import pytest
from exec_support import WAVES, Launch, Out, groups, kernel_file

waves = pytest.mark.parametrize("wave", WAVES)
sizes = pytest.mark.parametrize("n", [1, 31, 33, 64, 1000])
BLOCK = 64


@pytest.fixture
def launch(tmp_path):
    return Launch(tmp_path)


def run(launch, name, wave, kernel, n, *args):
    return launch(kernel_file(name, wave), kernel, groups(n, BLOCK), BLOCK, *args, f"u32:{n}")


def edge_mix(rng, n, dtype, edges):
    """Random whole-range integers with some edge values among them."""
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    small = rng.integers(0, 100, n).astype(dtype)
    values = np.where(rng.random(n) < 0.3, small, values)
    edges = np.array(edges, dtype=dtype)
    return np.where(rng.random(n) < 0.2, rng.choice(edges, n), values).astype(dtype)


def truncated_division(x, y):
    """C's division of Python integers."""
    q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return q, x - q * y


@waves
@sizes
def test_f64_math(launch, wave, n):
    rng = np.random.default_rng(n)
    x = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 5, n)
    y = rng.uniform(-2000, 2000, n)
    y[np.abs(y) < 0.01] = 1.0
    out = run(launch, "f64_math", wave, "f64_math", n, x, y, Out(10 * n, "f8")).reshape(10, n)
    exact = {
        0: x + y,
        1: x * y - x,
        3: x / y,
        5: np.floor(x) + np.ceil(y) * 1024.0,
        6: np.trunc(x) - np.rint(y),
        7: np.minimum(x, y) * 2.0 + np.maximum(x, y),
        8: x.astype(np.float32).astype(np.float64) + np.trunc(y),
        9: np.where(x < y, np.trunc(np.abs(x)), np.trunc(y * 1000.0)),
    }
    # The compiler may fuse a product and a sum: that row need not be the same bit for bit.
    fused = {1: np.abs(x * y) + np.abs(x)}
    for row, expected in exact.items():
        slack = 4e-16 * fused[row] if row in fused else 0
        assert np.all(np.abs(out[row] - expected) <= slack), f"row {row}"
    np.testing.assert_allclose(out[2], x * y - x, rtol=0, atol=np.max(np.abs(x * y)) * 4e-16)
    np.testing.assert_allclose(out[4], np.sqrt(np.abs(x)), rtol=2.3e-16)


@waves
@sizes
def test_int64(launch, wave, n):
    rng = np.random.default_rng(n)
    edges = [0, 1, -1, 2**63 - 1, -(2**63), 2**32, -(2**32), 3]
    x, y = edge_mix(rng, n, np.int64, edges), edge_mix(rng, n, np.int64, edges)
    y[y == 0] = 7
    x[(x == -(2**63)) & (y == -1)] = 5  # that quotient does not exist
    out = run(launch, "int64", wave, "int64", n, x, y, Out(10 * n, "i8")).reshape(10, n)
    for i in range(n):
        a, b = int(x[i]), int(y[i])
        ua, ub = a % 2**64, b % 2**64
        q, r = truncated_division(a, b)
        expected = [
            ua * ub, q, r, ua // ub, ua % ub,
            ua << (ub & 63) ^ a >> (ub & 63), ua >> (ub >> 8 & 63),
            (a < b) | (ua < ub) << 1 | (a == b) << 2, ua * ub >> 64,
            ua.bit_count() + (64 - ua.bit_length()) * 100,
        ]  # fmt: skip
        got = [int(v) % 2**64 for v in out[:, i]]
        assert got == [v % 2**64 for v in expected], f"element {i}: {a}, {b}"


@waves
@sizes
def test_int32(launch, wave, n):
    rng = np.random.default_rng(n)
    edges = [0, 1, -1, 2**31 - 1, -(2**31), 65536, -65536]
    x, y = edge_mix(rng, n, np.int32, edges), edge_mix(rng, n, np.int32, edges)
    y[y == 0] = 7
    x[(x == -(2**31)) & (y == -1)] = 5
    out = run(launch, "int64", wave, "int32", n, x, y, Out(10 * n, "i4")).reshape(10, n)
    for i in range(n):
        a, b = int(x[i]), int(y[i])
        ua, ub = a % 2**32, b % 2**32
        q, r = truncated_division(a, b)
        expected = [
            ua * ub, q, r, ua // ub, ua % ub, a * b >> 32, ua * ub >> 32,
            (ua << 7 | ua >> 25) ^ (ub >> 3 & 0x1FF),
            int(f"{ua:032b}"[::-1], 2) ^ ub.bit_count(),
            a - b if a > b else ~(a & b) + (a | b) * 3,
        ]  # fmt: skip
        got = [int(v) % 2**32 for v in out[:, i]]
        assert got == [v % 2**32 for v in expected], f"element {i}: {a}, {b}"


@waves
@sizes
def test_f32_math(launch, wave, n):
    rng = np.random.default_rng(n)
    x = (rng.standard_normal(n) * 20).astype(np.float32)
    y = rng.uniform(-200, 200, n).astype(np.float32)
    y[np.abs(y) < 0.01] = 1.0
    x[::7] = y[::7]
    out = run(launch, "f32_math", wave, "f32_math", n, x, y, Out(14 * n, "f4")).reshape(14, n)
    dx, dy = x.astype(np.float64), y.astype(np.float64)
    trunc = lambda v: np.trunc(v).astype(np.float32)  # noqa: E731
    exact = {
        0: x - y,
        1: (dx * dy + 1.0).astype(np.float32),
        10: (dx * 2.0 ** (np.trunc(dy).astype(np.int64) & 7)).astype(np.float32),
        12: trunc(x) + trunc(np.abs(y)) + (np.trunc(np.abs(x)).astype(np.int64) & 255),
        13: np.copysign(x, y) + np.where(x == y, 1, np.where(x > y, 2, 3)).astype(np.float32),
    }
    for row, expected in exact.items():
        np.testing.assert_array_equal(out[row], expected.astype(np.float32), f"row {row}")
    close = {
        2: (dx / dy, 3e-7),  # OpenCL asks for 2.5 ulp of / and 3 ulp of sqrt
        3: (np.sqrt(np.abs(dx)), 4e-7),
        4: (1 / dy, 3e-7),
        5: (1 / np.sqrt(np.abs(dy)), 3e-7),
        6: (2 ** (x * np.float32(0.1)).astype(np.float64), 3e-7),
        7: (np.log2((np.abs(x) + np.float32(1)).astype(np.float64)), 1e-6),
        9: (np.floor(dx) * 4 + np.rint(dy), 2e-7),
        11: (np.minimum(dx, dy) * 2 + np.maximum(dx, np.minimum(dy, 1.0)), 2e-7),
    }
    for row, (expected, tolerance) in close.items():
        np.testing.assert_allclose(
            out[row],
            expected,
            rtol=tolerance,
            atol=1e-5 if row in (9, 11) else 0,
            err_msg=f"row {row}",
        )
    fract = (x - np.floor(x)).astype(np.float64)
    np.testing.assert_allclose(out[8], np.sin(2 * np.pi * fract), rtol=0, atol=2e-6)


@waves
@sizes
def test_half(launch, wave, n):
    rng = np.random.default_rng(n)
    x, y = rng.uniform(-30, 30, (2, 2 * n)).astype(np.float16)
    f32 = np.float32
    args = (x[:n].copy(), y[:n].copy())
    got = run(launch, "half_math", wave, "half_scalar", n, *args, Out(7 * n, "f2")).reshape(7, n)
    a, b = args

    def fma(p, q, r):  # a product of halves is exact in f32; f64 keeps the sum exact as well
        wide = p.astype(np.float64) * q.astype(np.float64) + r.astype(np.float64)
        return wide.astype(np.float16)

    expected = [
        a + b, a * b, fma(a, b, -a), np.where(a < b, -a, np.abs(b)),
        (a.astype(f32) * f32(3) + b.astype(f32)).astype(np.float16), np.trunc(a),
        np.minimum(a, b) - np.maximum(a, b),
    ]  # fmt: skip
    for row, values in enumerate(expected):
        np.testing.assert_array_equal(got[row], values, f"scalar row {row}")

    got = run(launch, "half_math", wave, "half_packed", n, x, y, Out(10 * n, "f2"))
    got = got.reshape(5, 2 * n)
    swapped = x.reshape(-1, 2)[:, ::-1].reshape(-1)
    y_swapped = y.reshape(-1, 2)[:, ::-1].reshape(-1)
    expected = [x + y, x * y, fma(x, y, -x), None, np.maximum(x, y) + np.minimum(x, y_swapped)]
    for row, values in enumerate(expected):
        if values is not None:
            np.testing.assert_array_equal(got[row], values, f"packed row {row}")
    # Fused or rounded twice, as the compiler likes.
    either = (got[3] == fma(swapped, y, -x)) | (got[3] == swapped * y - x)
    assert either.all()


@waves
@sizes
def test_narrow_memory(launch, wave, n):
    rng = np.random.default_rng(n)

    def draw(t):
        return rng.integers(np.iinfo(t).min, np.iinfo(t).max, n, t, endpoint=True)

    s8, u8, s16, u16 = draw(np.int8), draw(np.uint8), draw(np.int16), draw(np.uint16)
    sums, out8, out16 = run(launch, "narrow_memory", wave, "narrow_memory", n,
                            s8, u8, s16, u16, Out(n, "i4"), Out(n, "i1"), Out(n, "i2"))  # fmt: skip
    a, b, c, d = (v.astype(np.int64) for v in (s8, u8, s16, u16))
    np.testing.assert_array_equal(sums, a * 3 + b * 5 + c * 7 + d * 11)
    np.testing.assert_array_equal(out8, (a + b).astype(np.int8))
    np.testing.assert_array_equal(out16, (c - d).astype(np.int16))


@waves
@sizes
def test_packed_short(launch, wave, n):
    rng = np.random.default_rng(n)
    x, y = rng.integers(-32768, 32768, (2, 2 * n)).astype(np.int16)
    got = run(launch, "narrow_memory", wave, "packed_short", n, x, y, Out(8 * n, "i2"))
    swapped = x.reshape(-1, 2)[:, ::-1].reshape(-1)
    a, b = x.astype(np.int64), y.astype(np.int64)
    expected = [
        a + b, a * b - swapped, np.maximum(a, b) - np.minimum(a, b), a << (b & 15) ^ a >> 3,
    ]  # fmt: skip
    np.testing.assert_array_equal(got.reshape(4, -1), np.array(expected).astype(np.int16))


@waves
@sizes
def test_wide_memory(launch, wave, n):
    rng = np.random.default_rng(n)
    a, b = rng.integers(-100, 100, (2, n, 4)).astype(np.float32)
    got = launch(kernel_file("narrow_memory", wave), "wide_memory", groups(n, BLOCK), BLOCK,
                 a, b, Out((n, 4), "f4"), "f32:2.5", f"u32:{n}")  # fmt: skip
    np.testing.assert_array_equal(got, a * np.float32(2.5) + b[:, ::-1])


@waves
@pytest.mark.parametrize("count", [1, 3])
def test_across_lanes(launch, wave, count):
    size = WAVES[wave[-3:]]
    n = 128 * count
    x = np.random.default_rng(count).integers(-1000, 1000, n).astype(np.int32)
    path = kernel_file("subgroup", wave)

    def across(kernel, rows=1, *more):
        return launch(path, kernel, count, 128, x, Out(rows * n, "i4"), *more).reshape(rows, n)

    by_row, by_wave = x.reshape(-1, 16), x.reshape(-1, size)
    np.testing.assert_array_equal(across("dpp_scan")[0], by_row.cumsum(axis=1).reshape(-1))
    np.testing.assert_array_equal(across("wave_scan")[0], by_wave.cumsum(axis=1).reshape(-1))

    lane = np.arange(n)
    quads = x.reshape(-1, 4)[:, ::-1].reshape(-1)
    mirror = by_row[:, ::-1].reshape(-1)
    shifted = np.where(lane % 16 == 0, 0, np.roll(x, 1))
    expected = [
        quads, mirror,
        np.where(lane % size // 16 & 1, -1, mirror),  # row_mask 5: rows 0 and 2 only
        np.where(lane % 16 // 4 < 2, quads, -1),      # bank_mask 3: the first two quads of a row
        shifted,                                      # bound_ctrl: 0 comes in
    ]  # fmt: skip
    np.testing.assert_array_equal(across("dpp_moves", 5, f"u32:{n}"), expected)

    expected = [
        np.roll(x.reshape(-1, 32), 7, axis=1).reshape(-1), x.reshape(-1, 2)[:, ::-1].reshape(-1),
        np.repeat(by_wave[:, 0], size), np.repeat(by_wave[:, 5], size),
    ]  # fmt: skip
    np.testing.assert_array_equal(across("permutes", 4, f"u32:{n}"), expected)

    odd = by_wave & 1
    rank = np.where(odd == 1, odd.cumsum(axis=1) - 1, -1).reshape(-1)
    total = np.repeat(odd.sum(axis=1), size)
    np.testing.assert_array_equal(across("ballots", 2, f"u32:{n}"), [rank, total])

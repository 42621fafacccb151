# SPDX-License-Identifier: MIT
"""NumPy side of the client tests: number formats, interesting values, and comparison in ulps."""

import dataclasses

import numpy as np
from tinygrad import Tensor, dtypes


@dataclasses.dataclass(frozen=True)
class Format:
    """A binary floating-point format: fraction bits, exponents of the least and largest normals."""

    fraction: int
    min_exponent: int
    max_exponent: int

    @property
    def eps(self):
        return 2.0**-self.fraction

    @property
    def tiny(self):
        return 2.0**self.min_exponent

    @property
    def max(self):
        return (2.0 - self.eps) * 2.0**self.max_exponent


FORMATS = {
    dtypes.float16: Format(10, -14, 15),
    dtypes.bfloat16: Format(7, -126, 127),
    dtypes.float32: Format(23, -126, 127),
    dtypes.float64: Format(52, -1022, 1023),
}
FLOATS = tuple(FORMATS)
SIGNED = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
UNSIGNED = (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
INTS = SIGNED + UNSIGNED
ALL = (dtypes.bool,) + INTS + FLOATS
NUMPY = {
    dtypes.bool: np.bool_,
    dtypes.int8: np.int8,
    dtypes.int16: np.int16,
    dtypes.int32: np.int32,
    dtypes.int64: np.int64,
    dtypes.uint8: np.uint8,
    dtypes.uint16: np.uint16,
    dtypes.uint32: np.uint32,
    dtypes.uint64: np.uint64,
    dtypes.float16: np.float16,
    dtypes.bfloat16: np.float32,
    dtypes.float32: np.float32,
    dtypes.float64: np.float64,
}


def type_id(dtype):
    return {dtypes.bool: "bool"}.get(
        dtype,
        (
            "u"
            if dtype in UNSIGNED
            else "i"
            if dtype in SIGNED
            else "b"
            if dtype is dtypes.bfloat16
            else "f"
        )
        + str(dtype.itemsize * 8),
    )


def rng(seed):
    return np.random.default_rng(seed)


def to_bf16_bits(values):
    """float32 -> bfloat16 bit patterns, rounding half to even; a NaN stays a quiet NaN."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    nan = np.isnan(np.asarray(values, np.float32))
    return np.where(nan, (bits >> 16).astype(np.uint16) | 0x40, rounded)


def from_bf16_bits(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def quantise(values, dtype):
    """The values as the format holds them (bfloat16 values are held in a float32 array)."""
    with np.errstate(all="ignore"):
        if dtype is dtypes.bfloat16:
            return from_bf16_bits(to_bf16_bits(np.asarray(values).astype(np.float32)))
        return np.asarray(values).astype(NUMPY[dtype])


def upload(values, dtype):
    """A realised tensor of exactly these values; bfloat16 goes as bits, so no kernel rounds it."""
    if dtype is dtypes.bfloat16:
        return Tensor(to_bf16_bits(values)).realize().bitcast(dtypes.bfloat16)
    return Tensor(np.ascontiguousarray(values, NUMPY[dtype])).realize()


def random_values(dtype, shape, seed=1, low=-4.0, high=4.0):
    """Seeded values: floats in [low, high), integers over their whole range, booleans evenly."""
    g = rng(seed)
    if dtype is dtypes.bool:
        return g.integers(0, 2, shape).astype(np.bool_)
    if dtype in FLOATS:
        return quantise(g.uniform(low, high, shape), dtype)
    info = np.iinfo(NUMPY[dtype])
    return g.integers(info.min, info.max, shape, dtype=NUMPY[dtype], endpoint=True)


def small_ints(dtype, shape, seed=1, magnitude=11):
    """Integers (in any dtype) so small that products and short sums of them cannot overflow."""
    low = 0 if dtype in UNSIGNED or dtype is dtypes.bool else -magnitude
    return quantise(rng(seed).integers(low, magnitude + 1, shape), dtype)


def special_floats(dtype):
    """Zeros, denormals, edges of the format, infinities, NaN, and ordinary values of all sizes."""
    f = FORMATS[dtype]
    base = [
        0.0,
        f.tiny * f.eps,
        f.tiny * f.eps * 3,
        f.tiny * (1 - f.eps),
        f.tiny,
        f.tiny * 1.5,
        f.eps,
        1e-3,
        0.1,
        0.25,
        0.5,
        1 - f.eps / 2,
        1.0,
        1 + f.eps,
        1.5,
        2.0,
        2.5,
        3.0,
        3.1415926,
        3.5,
        7.0,
        10.0,
        11.5,
        16.0,
        31.4,
        64.0,
        88.5,
        89.5,
        100.25,
        127.0,
        150.0,
        255.5,
        300.0,
        1023.0,
        1025.0,
        4096.5,
        30000.0,
        f.max / 2,
        f.max,
        np.inf,
    ]
    values = quantise(np.array(base), dtype)
    return np.concatenate([values, -values, quantise(np.array([np.nan]), dtype)])


def ulp(values, dtype):
    """Distance to the next value of the format at each value's size."""
    f = FORMATS[dtype]
    size = np.clip(np.nan_to_num(np.abs(np.asarray(values, np.float64)), nan=1.0), f.tiny, f.max)
    return np.ldexp(f.eps, np.frexp(size)[1] - 1)


def check_floats(got, want, dtype, ulps=0.5, absolute=0.0, what=""):
    """Compare with a float64 reference.

    `ulps` counts units in the last place of the result's format (0.5: correctly rounded); it may be
    an array. `absolute` is added to it. NaN and infinities have to be at the same places; overflow
    is judged as rounding does."""
    f = FORMATS[dtype]
    got = np.asarray(got).astype(np.float64)
    want = np.asarray(want, np.float64)
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    with np.errstate(all="ignore"):
        limit = np.asarray(ulps) * ulp(want, dtype) + absolute
        good = np.abs(got - want) <= limit
        # a finite result beyond the format's end rounds to infinity; near the end both are right
        edge = f.max + 0.5 * ulp(f.max, dtype)
        good |= np.isinf(got) & (np.sign(got) == np.sign(want)) & (np.abs(want) + limit >= edge)
        good |= np.isinf(want) & (got == want)
        good |= np.isnan(got) & np.isnan(want)
    if not good.all():
        where = np.argwhere(~good)
        first = tuple(where[0])
        raise AssertionError(
            f"{what}: {len(where)} of {got.size} wrong; first at {list(map(int, first))}:"
            f" got {got[first]!r}, expected {want[first]!r}"
            f" ({abs(got[first] - want[first]) / ulp(want[first], dtype):.3g} ulp)"
        )


def check_equal(got, want, what=""):
    """Exactly equal, shape included; NaN equals NaN."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    bad = (got != want) & ~((got != got) & (want != want))
    if bad.any():
        first = tuple(np.argwhere(bad)[0])
        raise AssertionError(
            f"{what}: {int(bad.sum())} of {got.size} differ; first at {list(map(int, first))}:"
            f" got {got[first]!r}, expected {want[first]!r}"
        )


def check(got, want, dtype, **limits):
    """check_floats for a floating-point dtype, check_equal otherwise."""
    if dtype in FLOATS:
        check_floats(got, want, dtype, **limits)
    else:
        check_equal(got, np.asarray(want).astype(NUMPY[dtype]), limits.get("what", ""))

# SPDX-License-Identifier: MIT
"""Elementwise operations, broadcasting and reductions of tinygrad against NumPy, in all types."""

import math

import numpy as np
import pytest
from tinygrad import Tensor, dtypes

from oracle import (
    ALL,
    FLOATS,
    FORMATS,
    INTS,
    NUMPY,
    SIGNED,
    check,
    check_equal,
    check_floats,
    quantise,
    random_values,
    rng,
    small_ints,
    special_floats,
    type_id,
    upload,
)

over = pytest.mark.parametrize


def erf(x):
    return np.array([math.erf(v) if v == v else v for v in x])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# --- unary functions of floating point ---------------------------------------------------------
# name -> (reference, relative limit in ulps, absolute limit in units of eps, domain). Why:
# exp(x) is exp2(x * log2(e)), so the rounding of the product and of the constant becomes |x| ulps;
# a logarithm is log2 times a constant, and log2 near 1 has an absolute error; cos(x) is
# sin(pi/2 - x), which rounds its argument; functions that tinygrad composes (tanh, sinh, erf, ...)
# cancel near zero or follow a published polynomial, which the absolute limit covers; the
# hardware's own functions are good to 1 ulp, and the compiler is told that approximations are fine.
# Domains: `all`; `finite` without NaN and infinities; `moderate` up to 11, where no intermediate
# overflows in f16; `unit` within [-1, 1]; `inside` without its ends, where the refinement of an f64
# quotient meets inf * 0 in the compiled code; `positive` and `normal` without zeros and denormals.


def exp_ulps(x):
    return 2 + 2 * np.abs(x)


def cos_error(x):
    return np.abs(x) + 4


def tan_ulps(x):
    return 4 + 2 * cos_error(x) / np.abs(np.cos(x))


UNARY = {
    "exp": (np.exp, exp_ulps, 0, "all"),
    "exp2": (np.exp2, 3, 0, "all"),
    "log": (np.log, 4, 1, "all"),
    "log2": (np.log2, 4, 1, "all"),
    "log10": (np.log10, 4, 1, "all"),
    "sqrt": (np.sqrt, 2, 0, "all"),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 4, 0, "positive"),
    "reciprocal": (lambda x: 1 / x, 3, 0, "normal"),
    "sin": (np.sin, 3, 4, "finite"),
    "cos": (np.cos, 3, cos_error, "moderate"),
    "tan": (np.tan, tan_ulps, cos_error, "moderate"),
    "sinh": (np.sinh, exp_ulps, 4, "moderate"),
    "cosh": (np.cosh, exp_ulps, 0, "moderate"),
    "tanh": (np.tanh, 12, 4, "moderate"),
    "sigmoid": (sigmoid, exp_ulps, 0, "moderate"),
    "softplus": (lambda x: np.logaddexp(0, x), 8, 8, "moderate"),
    "silu": (lambda x: x * sigmoid(x), exp_ulps, 0, "moderate"),
    "asinh": (np.arcsinh, 8, lambda x: 4 + 4 * x * x, "moderate"),
    "acosh": (np.arccosh, 8, 8, "above one"),
    "atanh": (np.arctanh, 8, 8, "inside"),
    "asin": (np.arcsin, 4, 4, "unit"),
    "acos": (np.arccos, 4, 4, "unit"),
    "atan": (np.arctan, 4, lambda x: 4 + 2 * np.abs(x), "moderate"),
    "erf": (erf, 4, 4, "moderate"),
    "gelu": (
        lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        8,
        16,
        "moderate",
    ),
    "relu": (lambda x: np.maximum(x, 0), 0, 0, "finite"),
    "abs": (np.abs, 0, 0, "all"),
    "neg": (np.negative, 0, 0, "all"),
    "square": (np.square, 0.5, 0, "all"),
    "floor": (np.floor, 0, 0, "all"),
    "ceil": (np.ceil, 0, 0, "all"),
    "trunc": (np.trunc, 0, 0, "all"),
    "round": (np.round, 0, 0, "moderate"),
    "sign": (np.sign, 0, 0, "finite"),
}


# absolute accuracy of the polynomials behind these functions, whatever the format
POLYNOMIAL = {"erf": 2e-7, "asin": 1e-7, "acos": 1e-7, "atan": 1e-7}


def unary_inputs(dtype, which):
    f = FORMATS[dtype]
    x = np.concatenate(
        [
            special_floats(dtype),
            random_values(dtype, 40, 3, -8, 8),
            random_values(dtype, 20, 4, -1, 1),
        ]
    )
    size = np.abs(x.astype(np.float64))
    keep = {
        "all": np.ones(x.shape, bool),
        "finite": np.isfinite(x),
        "moderate": size <= 11,
        "normal": (size >= f.tiny) & (size <= 1 / f.tiny),
        "unit": size <= 1,
        "inside": size < 1,
        "positive": (x >= f.tiny) & np.isfinite(x),
        "above one": (x >= 1) & (size <= 11),
    }
    return x[keep[which]]


@over("dtype", FLOATS, ids=type_id)
@over("name", UNARY)
def test_unary(name, dtype):
    reference, ulps, absolute, which = UNARY[name]
    if name == "sin" and dtype is dtypes.float64:
        which = "moderate"  # beyond 30 tinygrad reduces the argument of f64 only to f32 accuracy
    x = unary_inputs(dtype, which)
    exact = x.astype(np.float64)
    with np.errstate(all="ignore"):
        want = reference(exact)
        ulps = np.minimum(np.nan_to_num(ulps(exact), nan=0.0), 1e6) if callable(ulps) else ulps
        absolute = absolute(exact) if callable(absolute) else absolute
    got = getattr(upload(x, dtype), name)().numpy()
    check_floats(
        got, want, dtype, ulps, absolute * FORMATS[dtype].eps + POLYNOMIAL.get(name, 0), what=name
    )


# --- two operands ------------------------------------------------------------------------------
def pairs(dtype, op):
    """Two operand arrays: full range where the operation is defined for it, else no overflow."""
    if dtype in FLOATS:
        s = special_floats(dtype)
        a = np.concatenate([np.repeat(s[::3], 9), random_values(dtype, 64, 5)])
        b = np.concatenate([np.tile(s[::9], 40)[: len(a) - 64], random_values(dtype, 64, 6)])
        return a, b
    a, b = random_values(dtype, 100, 5), random_values(dtype, 100, 6)
    a[50:], b[50:75] = small_ints(dtype, 50, 7), small_ints(dtype, 25, 8)
    b[75:] = a[75:]  # equal values matter to comparisons
    if dtype in SIGNED:  # the compiler may assume that signed arithmetic does not overflow
        if op in ("add", "sub"):
            a, b = a >> 1, b >> 1
        if op == "mul":
            a, b = small_ints(dtype, 100, 7), small_ints(dtype, 100, 8)
    return a, b


COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
OPERATOR = {"lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__"}


@over("dtype", ALL, ids=type_id)
@over("name", COMPARE)
def test_compare(name, dtype):
    a, b = pairs(dtype, name)
    got = getattr(upload(a, dtype), OPERATOR.get(name, name))(upload(b, dtype)).numpy()
    assert got.dtype == np.bool_
    check_equal(got, COMPARE[name](a, b), name)


@over("dtype", INTS + FLOATS, ids=type_id)
@over("name", ("add", "sub", "mul"))
def test_arithmetic(name, dtype):
    a, b = pairs(dtype, name)
    function = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[name]
    with np.errstate(all="ignore"):
        want = (
            function(a.astype(np.float64), b.astype(np.float64))
            if dtype in FLOATS
            else function(a, b)
        )
    got = getattr(upload(a, dtype), name)(upload(b, dtype)).numpy()
    check(got, want, dtype, ulps=0.5 + 1e-6, what=name)  # f32 sums are not always exact in f64


@over("dtype", ALL, ids=type_id)
@over("name", ("maximum", "minimum"))
def test_max_min(name, dtype):
    a, b = pairs(dtype, name)
    if dtype in FLOATS:  # what a NaN gives is not defined by tinygrad
        a, b = (
            np.nan_to_num(a, nan=1, posinf=np.inf, neginf=-np.inf),
            np.nan_to_num(b, nan=2, posinf=np.inf, neginf=-np.inf),
        )
    got = getattr(upload(a, dtype), name)(upload(b, dtype)).numpy()
    check_equal(got, getattr(np, name)(a, b), name)


@over("dtype", INTS + (dtypes.bool,), ids=type_id)
@over("name", ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"))
def test_bitwise(name, dtype):
    a, b = pairs(dtype, name)
    operands = (a,) if name == "bitwise_not" else (a, b)
    first, *rest = [upload(v, dtype) for v in operands]
    check_equal(getattr(first, name)(*rest).numpy(), getattr(np, name)(*operands), name)


@over("dtype", INTS, ids=type_id)
@over("name", ("__lshift__", "__rshift__"))
def test_shift(name, dtype):
    bits = dtype.itemsize * 8
    a = random_values(dtype, 64, 9)
    if name == "__lshift__":
        a = a >> (bits // 2)  # keep the shifted-out part of signed numbers a sign extension
    for by in (1, bits // 2 - 1):
        got = getattr(upload(a, dtype), name)(by).numpy()
        check_equal(got, getattr(a, name)(NUMPY[dtype](by)), f"{name} {by}")


@over("dtype", INTS, ids=type_id)
@over("name", ("floor", "trunc", "mod", "fmod"))
def test_integer_division(name, dtype):
    a, b = random_values(dtype, 200, 10), random_values(dtype, 200, 11)
    a[100:], b[50:] = small_ints(dtype, 100, 12), small_ints(dtype, 150, 13)
    b[b == 0] = 3
    if dtype in SIGNED:
        a[a == np.iinfo(a.dtype).min] += 1  # the least number divided by -1 has no quotient
        a[:4], b[:4] = [7, -7, 7, -7], [3, 3, -3, -3]
    ta, tb = upload(a, dtype), upload(b, dtype)
    floor = a // b
    trunc = floor + ((a % b != 0) & ((a < 0) != (b < 0))).astype(a.dtype)
    got, want = {
        "floor": (lambda: ta // tb, floor),
        "mod": (lambda: ta % tb, a % b),
        "trunc": (lambda: ta.div(tb, rounding_mode="trunc"), trunc),
        "fmod": (lambda: ta.fmod(tb), a - trunc * b),
    }[name]
    check_equal(got().numpy(), want, name)


@over("dtype", INTS, ids=type_id)
@over("divisor", (3, 7, 10, 64))
def test_division_by_constant(divisor, dtype):
    a = random_values(dtype, 100, 14)
    t = upload(a, dtype)
    check_equal((t // divisor).numpy(), a // NUMPY[dtype](divisor), f"// {divisor}")


@over("dtype", FLOATS, ids=type_id)
def test_float_division(dtype):
    g = rng(15)
    a = quantise(g.uniform(-1, 1, 200) * 2.0 ** g.integers(-6, 7, 200), dtype)
    b = quantise(g.uniform(0.5, 1, 200) * 2.0 ** g.integers(-6, 7, 200), dtype)
    got = (upload(a, dtype) / upload(b, dtype)).numpy()
    # a * rcp(b): 1 ulp of the reciprocal, doubled in the quotient's lower binade, and a rounding
    check_floats(got, a.astype(np.float64) / b, dtype, 3)


@over("dtype", FLOATS, ids=type_id)
def test_power(dtype):
    g = rng(16)
    a, b = quantise(g.uniform(0.1, 4, 100), dtype), quantise(g.uniform(-3, 3, 100), dtype)
    want = a.astype(np.float64) ** b
    got = (upload(a, dtype) ** upload(b, dtype)).numpy()
    # exp2(b * log2(a)): absolute errors of the exponent are relative errors of the result
    check_floats(got, want, dtype, 8 + 8 * np.abs(b * np.log2(a.astype(np.float64))))
    x = quantise(g.uniform(-2, 2, 50), dtype)
    check_floats((upload(x, dtype) ** 3).numpy(), x.astype(np.float64) ** 3, dtype, 2)


@over("dtype", FLOATS, ids=type_id)
@over("name", ("isnan", "isinf", "isfinite"))
def test_classify(name, dtype):
    x = special_floats(dtype)
    check_equal(getattr(upload(x, dtype), name)().numpy(), getattr(np, name)(x), name)


@over("dtype", ALL, ids=type_id)
def test_where(dtype):
    a, b = random_values(dtype, (5, 33), 17), random_values(dtype, (33,), 18)
    c = random_values(dtypes.bool, (5, 1), 19)
    got = upload(c, dtypes.bool).where(upload(a, dtype), upload(b, dtype)).numpy()
    check_equal(got, np.where(c, a, b))


@over("dtype", (dtypes.int32, dtypes.float16, dtypes.float32), ids=type_id)
def test_masked_fill_and_clamp(dtype):
    a, mask = small_ints(dtype, (17, 9), 20), random_values(dtypes.bool, (17, 1), 21)
    t = upload(a, dtype)
    check_equal(
        t.masked_fill(upload(mask, dtypes.bool), 5).numpy(), np.where(mask, a.dtype.type(5), a)
    )
    check_equal(t.clamp(-3, 6).numpy(), np.clip(a, -3, 6))


SHAPES = [
    ((1,), (31,)),
    ((33, 1), (1, 65)),
    ((3, 1, 7), (5, 1)),
    ((2, 3, 4, 5), (4, 1)),
    ((), (13,)),
    ((1, 1, 1), (3, 3, 3)),
    ((256,), (4, 256)),
]


@over("shapes", SHAPES, ids=str)
def test_broadcast(shapes):
    a, b = (random_values(dtypes.float32, s, 22 + i) for i, s in enumerate(shapes))
    check_equal((Tensor(a) + Tensor(b)).numpy(), a + b)
    i, j = (small_ints(dtypes.int32, s, 24 + i) for i, s in enumerate(shapes))
    check_equal((Tensor(i) * Tensor(j) - Tensor(j)).numpy(), i * j - j)


# --- sizes -------------------------------------------------------------------------------------
@over("size", (1, 2, 31, 32, 33, 63, 65, 257, 1000, 1 << 20, 1000003))
def test_sizes(size):
    a = np.arange(size, dtype=np.int32)
    x = (a % 4093).astype(np.float32)
    check_equal((Tensor(a) * 3 + 1).numpy(), a * 3 + 1)
    check_equal((Tensor(x) * Tensor(x[::-1].copy())).numpy(), x * x[::-1])


# --- reductions --------------------------------------------------------------------------------
REDUCTIONS = [((1,), 0), ((33, 65), 1), ((64, 48), 0), ((5000,), 0), ((7, 11, 13), (0, 2))]


@over("shape,axis", REDUCTIONS, ids=str)
@over("dtype", ALL, ids=type_id)
def test_sum(dtype, shape, axis):
    if dtype in FLOATS:
        a = random_values(dtype, shape, 30)
        want = a.astype(np.float64).sum(axis)
        # summed in f32 (f64 for f64): n roundings of partial sums that stay below sum |a|
        n = a.size / max(1, want.size)
        inner = FORMATS[dtypes.float64 if dtype is dtypes.float64 else dtypes.float32].eps
        bound = n * inner * np.abs(a.astype(np.float64)).sum(axis)
        check_floats(upload(a, dtype).sum(axis).numpy(), want, dtype, 0.5 + 1e-6, bound)
    else:
        a = random_values(dtype, shape, 30)
        if dtype in SIGNED:
            a = a // 16384 if dtype.itemsize >= 4 else a
        got = upload(a, dtype).sum(axis).numpy()
        check_equal(got, a.sum(axis, dtype=got.dtype), "sum")
        assert got.dtype.itemsize >= 4


@over("dtype", ALL, ids=type_id)
@over("name", ("max", "min", "argmax", "argmin"))
def test_extremum(name, dtype):
    for shape, axis in (((33, 65), 1), ((64, 48), 0), ((3001,), 0)):
        a = random_values(dtype, shape, 31)
        a.flat[5::7] = a.flat[4]  # ties: the first one counts
        got = getattr(upload(a, dtype), name)(axis).numpy()
        check_equal(got, getattr(a, name)(axis), f"{name} {shape}")


@over("dtype", ALL, ids=type_id)
@over("name", ("any", "all"))
def test_any_all(name, dtype):
    a = small_ints(dtype, (40, 33), 32, 1)
    a[3], a[5] = 0, 1
    check_equal(getattr(upload(a, dtype), name)(1).numpy(), getattr(a, name)(1), name)


@over("dtype", INTS + FLOATS, ids=type_id)
def test_prod(dtype):
    a = quantise(rng(33).choice([1, 1, 1, 2, 1, 3], (40, 6)), dtype)
    check_equal(upload(a, dtype).prod(1).numpy(), a.astype(np.float64).prod(1))


@over("dtype", (dtypes.int8, dtypes.int32, dtypes.int64, dtypes.uint16) + FLOATS, ids=type_id)
@over("shape,axis", [((300,), 0), ((5, 700), 1), ((37, 4), 0)], ids=str)
def test_cumsum(dtype, shape, axis):
    a = small_ints(dtype, shape, 34, 1)  # every partial sum is exact in every format
    a = a * (
        np.arange(a.shape[axis]).reshape([-1 if i == axis else 1 for i in range(a.ndim)]) % 3 == 0
    )
    check_equal(
        upload(a, dtype).cumsum(axis).numpy().astype(np.float64),
        a.astype(np.float64).cumsum(axis),
        "cumsum",
    )


@over("name", ("cumprod", "cummax", "cummin"))
def test_cumulative(name):
    a = quantise(rng(35).choice([0.5, 1, 2, -1], (6, 70)), dtypes.float32)
    want = {
        "cumprod": np.cumprod(a, 1),
        "cummax": np.maximum.accumulate(a, 1),
        "cummin": np.minimum.accumulate(a, 1),
    }[name]
    got = getattr(Tensor(a), name)(1)
    check_equal((got[0] if isinstance(got, tuple) else got).numpy(), want, name)


@over("dtype", FLOATS, ids=type_id)
@over("name", ("mean", "var", "std", "logsumexp"))
def test_statistics(name, dtype):
    a = random_values(dtype, (9, 130), 36)
    x = a.astype(np.float64)
    want = {
        "mean": lambda: x.mean(1),
        "var": lambda: x.var(1, ddof=1),
        "std": lambda: x.std(1, ddof=1),
        "logsumexp": lambda: np.log(np.exp(x).sum(1)),
    }[name]()
    # intermediates round to the format: a few roundings of values up to 4 (mean), 16 (squares)
    limit = {"mean": 4, "var": 32, "std": 16, "logsumexp": 8}[name] * FORMATS[dtype].eps
    check_floats(getattr(upload(a, dtype), name)(1).numpy(), want, dtype, 1, limit, what=name)

# SPDX-License-Identifier: MIT
"""AMD's libm for devices (Debian's device libraries, compiled for one target a generation) against
the host's, in units of the last place. The bounds are those of OpenCL C's full profile."""

import ctypes
import re

import numpy as np
import pytest
from exec_support import KERNELS, ROOT, Launch, Out, groups

TARGETS = ("gfx1100", "gfx1201", "gfx90a", "gfx950")
EXACT = 0.5
# Name -> bound in ulps for f32 and for f64. (tgamma: 16 but for reflected arguments; this version of
# the library makes NaN of every finite f16 sine.)
UNARY = {
    "acos": 4, "acosh": 4, "asin": 4, "asinh": 4, "atan": 5, "atanh": 5, "cbrt": 2, "ceil": EXACT,
    "cos": 4, "cosh": 4, "erf": 16, "erfc": 16, "exp": 3, "exp10": 3, "exp2": 3, "expm1": 3,
    "floor": EXACT, "lgamma": None, "log": 3, "log10": 3, "log1p": 2, "log2": 3, "rint": EXACT,
    "round": EXACT, "rsqrt": 2, "sin": 4, "sinh": 4, "sqrt": EXACT, "tan": 5, "tanh": 5,
    "tgamma": 64, "trunc": EXACT,
}  # fmt: skip
BINARY = {
    "atan2": 6, "fdim": EXACT, "fmax": EXACT, "fmin": EXACT, "fmod": EXACT, "hypot": 4,
    "nextafter": EXACT, "pow": 16, "remainder": EXACT,
}  # fmt: skip
HALF = {"cos": 2, "exp": 2, "log": 2, "rsqrt": 1, "sqrt": EXACT, "tanh": 2}
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}

libm = ctypes.CDLL("libm.so.6")


def from_libm(name, count):
    """A function of the host's libm in double."""
    function = getattr(libm, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * count
    return np.vectorize(function, otypes=[np.float64])


def away_from_zero(x):
    return np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.sign(x), 0)


NUMPY_NAMES = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atanh": np.arctanh, "exp10": lambda x: np.power(np.longdouble(10), x),
    "round": away_from_zero, "rsqrt": lambda x: 1 / np.sqrt(x), "atan2": np.arctan2,
    "pow": np.power,
}  # fmt: skip


def reference(name, arguments, dtype):
    """In extended precision where NumPy has the function, else in double."""
    with np.errstate(all="ignore"):
        if name == "nextafter":
            return np.nextafter(*arguments).astype(np.longdouble)
        in_libm = ("erf", "erfc", "lgamma", "tgamma", "fdim", "remainder")
        if name in in_libm:
            values = from_libm(name, len(arguments))(*[a.astype(np.float64) for a in arguments])
            return values.astype(np.longdouble)
        function = NUMPY_NAMES.get(name) or getattr(np, name)
        return function(*[a.astype(np.longdouble) for a in arguments])


def inputs(dtype, seed, count=600):
    """Special values, and numbers of the sizes at which the functions are interesting."""
    info = np.finfo(dtype)
    special = [0, 1, 0.5, 2, 3, 10, 0.75, 1.5, 100.25, info.max, info.tiny, info.smallest_subnormal]
    special += [info.max / 3, info.eps, np.pi, np.pi / 2, 1e3, 12345.678, np.inf]
    generator = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        special = np.array(special).astype(dtype)
        plain = generator.uniform(-1, 1, count)
        around = generator.uniform(-20, 20, count)
        wide = np.exp2(generator.uniform(info.minexp, info.maxexp, count))
        wide *= generator.choice((-1, 1), count)
        values = np.concatenate([plain, around, wide]).astype(dtype)
    return np.concatenate([special, -special, np.array([np.nan], dtype), values])


def check(got, want, bound, dtype, what):
    """NaN and infinities at the same places, finite results within `bound` ulps."""
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        size = np.clip(np.abs(np.nan_to_num(want, nan=1)), info.tiny, info.max)
        ulp = np.ldexp(np.longdouble(info.eps), np.frexp(size)[1] - 1)
        error = np.abs(got.astype(np.longdouble) - want) / ulp
        good = error <= bound
        good |= np.isnan(got) & np.isnan(want)
        good |= got.astype(np.longdouble) == want
        beyond = np.abs(want) * (1 + (bound + 1) * info.eps) > info.max
        good |= np.isinf(got) & beyond & (np.sign(got) == np.sign(want))
    wrong = np.flatnonzero(~good)
    assert not len(wrong), f"{what}: {len(wrong)} of {len(got)} wrong, first {wrong[0]}: " + (
        f"{got[wrong[0]]!r}, expected {want[wrong[0]]!r} ({error[wrong[0]]:.3g} ulp)"
    )


def path(target):
    file = KERNELS / f"libm.{target}.co"
    assert file.is_file(), f"{file} is missing: build the target test_kernels"
    return file


def run(tmp_path, target, name, suffix, *arguments):
    n = len(arguments[0])
    return Launch(tmp_path)(path(target), f"{name}_{suffix}", groups(n, 64), 64,
                            *arguments, Out(n, TYPES[suffix]), f"u32:{n}")  # fmt: skip


def gamma_bound(x, want, bound):
    """lgamma has no bound near its zeros; elsewhere the implementation's own claim."""
    return np.where(np.abs(want) < 1, 1e12, 64) if bound is None else bound


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("suffix", ["f32", "f64"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(tmp_path, target, suffix, name):
    x = inputs(TYPES[suffix], 3)
    want = reference(name, [x], x.dtype)
    got = run(tmp_path, target, name, suffix, x)
    check(got, want, gamma_bound(x, want, UNARY[name]), x.dtype, name)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("suffix", ["f32", "f64"])
@pytest.mark.parametrize("name", BINARY)
def test_binary(tmp_path, target, suffix, name):
    x, y = inputs(TYPES[suffix], 4), np.roll(inputs(TYPES[suffix], 5), 7)
    want = reference(name, [x, y], x.dtype)
    check(run(tmp_path, target, name, suffix, x, y), want, BINARY[name], x.dtype, name)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", HALF)
def test_half(tmp_path, target, name):
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    want = reference(name, [x], x.dtype)
    check(run(tmp_path, target, name, "f16", x), want, HALF[name], x.dtype, name)


def test_every_kernel_is_compared():
    source = (ROOT / "tests" / "kernels" / "libm" / "libm.cl").read_text()
    for macro, table in (("UNARY", UNARY), ("BINARY", BINARY), ("HALF", HALF)):
        assert set(re.findall(rf"^{macro}\((\w+)\)$", source, re.M)) == set(table)

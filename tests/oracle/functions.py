# SPDX-License-Identifier: MIT
"""Functions that the pseudocode calls by name; Machine inherits them as fn_NAME."""

import math
from fractions import Fraction

from typed_numbers import FLOATS, Unevaluable, Value, floating, fused


def boolean(x):
    return Value(int(bool(x)), 1, "u")


class Functions:
    def fn_fma(self, a, b, c):
        for v in (a, b, c):
            if math.isnan(v.number()):
                return v
        return floating(fused(a.number(), b.number(), c.number()), c.kind, c.width)

    def fn_abs(self, a):
        return Value(a.bits & ~(1 << (a.width - 1)), a.width, a.kind)

    def fn_sign(self, a):
        return Value(a.bits >> (a.width - 1), 1, "u")

    def fn_exponent(self, a):
        exponent_bits, fraction_bits = FLOATS[a.kind, a.width]
        return Value(a.bits >> fraction_bits & ((1 << exponent_bits) - 1), 32, "i")

    def fn_mantissa(self, a):
        x = a.number()
        return floating(math.frexp(x)[0] if x else x, a.kind, a.width)

    def fn_isNAN(self, a):
        return boolean(math.isnan(a.number()))

    def quiet_bit(self, a):
        return a.bits >> (FLOATS[a.kind, a.width][1] - 1) & 1

    def fn_isQuietNAN(self, a):
        return boolean(math.isnan(a.number()) and self.quiet_bit(a))

    def fn_isSignalNAN(self, a):
        return boolean(math.isnan(a.number()) and not self.quiet_bit(a))

    def fn_isINF(self, a):
        return boolean(math.isinf(a.number()))

    def fn_cvtToQuietNAN(self, a):
        return Value(a.bits | 1 << (FLOATS[a.kind, a.width][1] - 1), a.width, a.kind)

    def fn_signext(self, a):
        return Value(a.viewed("i", a.width).number(), 64, "i")

    def fn_signext_from_bit(self, a, n):
        bit = n.number()
        if bit == 0:
            return Value(0, a.width, "i")
        if bit > a.width:
            return a
        return Value(Value(a.bits, bit, "i").number(), a.width, "i")

    def fn_ldexp(self, a, n):
        x = a.number()
        if not math.isfinite(x) or x == 0:
            return a
        power = max(min(n.viewed("i", n.width).number(), 5000), -5000)
        return floating(Fraction(x) * Fraction(2) ** power, a.kind, a.width)

    def rounded(self, a, function):
        x = a.number()
        if not math.isfinite(x):
            return a
        result = float(function(x))
        return floating(math.copysign(result, x) if result == 0 else result, a.kind, a.width)

    def fn_trunc(self, a):
        return self.rounded(a, math.trunc)

    def fn_floor(self, a):
        return self.rounded(a, math.floor)

    def fn_isEven(self, a):
        return boolean(a.number() % 2 == 0)

    def unary_math(self, a, function):
        x = a.number()
        if math.isnan(x):
            return a
        try:
            return floating(function(x), a.kind, a.width)
        except (ValueError, OverflowError, ZeroDivisionError):
            raise Unevaluable("outside the function's domain") from None

    def fn_sqrt(self, a):
        return self.unary_math(a, lambda x: math.nan if x < 0 else math.sqrt(x))

    def fn_log2(self, a):
        def log2(x):
            return -math.inf if x == 0 else math.nan if x < 0 else math.log2(x)

        return self.unary_math(a, log2)

    def fn_pow(self, a, b):
        def power(x):
            return math.inf if x > 2000 else 0.0 if x < -2000 else a.number() ** x

        return self.unary_math(b, power)

    def fn_sin(self, a):
        raise Unevaluable("sin: the argument is reduced before its product is rounded")

    fn_cos = fn_sin

    def fn_fract(self, a):
        return self.unary_math(a, lambda x: x - math.floor(x))

    def fn_bitCount(self, a):
        return Value(bin(a.bits).count("1"), 32, "u")

# SPDX-License-Identifier: MIT
"""Typed values of the pseudocode: bits of a width, seen as unsigned, signed or floating point."""

import math
import struct
from dataclasses import dataclass
from fractions import Fraction

# name -> width, bits of the exponent and of the fraction
FLOATS = {("f", 16): (5, 10), ("bf", 16): (8, 7), ("f", 32): (8, 23), ("f", 64): (11, 52)}


class Unevaluable(Exception):
    """The pseudocode uses something that has no definition here."""


@dataclass
class Value:
    bits: int
    width: int
    kind: str  # u, i, b, f, bf

    def __post_init__(self):
        self.bits &= (1 << self.width) - 1

    @property
    def is_float(self):
        return self.kind in ("f", "bf")

    def number(self):
        """An int, or a Python float with the same value (NaN payloads are lost)."""
        if self.kind == "i" and self.bits >> (self.width - 1):
            return self.bits - (1 << self.width)
        return self.bits if not self.is_float else decode(self.bits, self.kind, self.width)

    def viewed(self, kind, width):
        return Value(self.bits, width, kind)


def decode(bits, kind, width):
    if width == 64:
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    exponent_bits, fraction_bits = FLOATS[kind, width]
    sign = -1.0 if bits >> (width - 1) else 1.0
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - fraction_bits)
    return sign * math.ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits)


def encode(x, kind, width):
    """The nearest value (ties to even) of a float or an exact Fraction, as bits."""
    exponent_bits, fraction_bits = FLOATS[kind, width]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if isinstance(x, float):
        if math.isnan(x):
            return infinity | 1 << (fraction_bits - 1)
        sign = 1 << (width - 1) if math.copysign(1, x) < 0 else 0
        if math.isinf(x):
            return sign | infinity
        if x == 0:
            return sign
    sign = 1 << (width - 1) if x < 0 else 0
    exact = abs(Fraction(x))
    if exact == 0:
        return sign
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < Fraction(2) ** exponent:
        exponent -= 1
    bias = (1 << (exponent_bits - 1)) - 1
    unit = max(exponent, 1 - bias) - fraction_bits
    scaled = exact / Fraction(2) ** unit
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1):
        whole += 1
    field = max(exponent, 1 - bias) + bias - 1
    return sign | min((field << fraction_bits) + whole, infinity)


def floating(x, kind="f", width=64):
    return Value(encode(x, kind, width), width, kind)


def finite(*numbers):
    return all(math.isfinite(n) for n in numbers)


def fused(a, b, c):
    """a * b + c, exact if finite (a float where a zero's sign matters)."""
    if not finite(a, b, c):
        return a * b + c if not (math.isinf(c) and finite(a, b)) else c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return exact
    product = math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b)) if not a * b else a * b
    return product + c if product == 0 or c == 0 else 0.0

# SPDX-License-Identifier: MIT
"""What is so where the text is wrong or says too little: a second reading, entry by entry of
docs/errata.md. A difference from the text is explained only if the result is exactly this one."""

import functools
import math
import re
from fractions import Fraction

from typed_numbers import FLOATS, decode, encode, fused


def signed(bits, width):
    bits &= (1 << width) - 1
    return bits - (1 << width) if bits >> (width - 1) else bits


def clamped(x, low, high):
    return min(max(x, low), high)


def float_width(name):
    return 64 if name.endswith("f64") else 16 if name.endswith("f16") else 32


def source(case, i, width):
    return case["s"][i] & ((1 << width) - 1)


def raw_exponent(bits, width):
    exponent, fraction = FLOATS["f", width]
    return bits >> fraction & ((1 << exponent) - 1)


def is_nan(bits, width):
    return math.isnan(decode(bits, "f", width))


def sign_bit(width):
    return 1 << (width - 1)


# ---- E1 to E4: parts of numbers, functions ----
def round_to_even(name, case):
    width = float_width(name)
    bits = source(case, 0, width)
    x = decode(bits, "f", width)
    if not math.isfinite(x):
        return None
    whole = round(Fraction(x))  # ties to even
    return encode(Fraction(whole), "f", width) if whole else bits & sign_bit(width)


def fraction_below_one(name, case):
    width = float_width(name)
    x = decode(source(case, 0, width), "f", width)
    if not math.isfinite(x) or x >= 0 or x < -0.5:
        return None
    return encode(1.0, "f", width) - 1  # only where 1 + x rounds to 1


def exponent_of(name, case):
    width = float_width(name)
    x = decode(source(case, 0, width), "f", width)
    return math.frexp(x)[1] & 0xFFFFFFFF if math.isfinite(x) else None


def flushed_function(name, case):
    """Denormal sources act as zeros of the same sign, denormal results become such zeros."""
    bits = source(case, 0, 32)
    sign = bits & sign_bit(32)
    if raw_exponent(bits, 32):
        x = decode(bits, "f", 32)
        if not math.isfinite(x):
            return None
        tiny_reciprocal = "rcp" in name and abs(x) > 2.0**126
        tiny_power = "exp" in name and x < -126
        return sign if tiny_reciprocal else 0 if tiny_power else None
    infinity = encode(math.inf, "f", 32)
    if "rcp" in name or "rsq" in name:
        return sign | infinity
    if "sqrt" in name:
        return sign
    return encode(1.0, "f", 32) if "exp" in name else sign_bit(32) | infinity


# ---- E5: division ----
def scaled_multiply_add(name, case):
    """Lanes whose VCC bit is set: the quotient before the last step says how to scale."""
    if not case["vcc"]:
        return None
    width = float_width(name)
    a, b, c = (source(case, i, width) for i in range(3))
    x, y, z = (decode(v, "f", width) for v in (a, b, c))
    exact = fused(x, y, z)
    bias, power = (127, 64) if width == 32 else (1023, 128)
    if isinstance(exact, float) and not math.isfinite(exact):
        return None
    first = encode(exact, "f", width)  # div_fmas rounds, scales and rounds again
    value = decode(first, "f", width)
    if not math.isfinite(value) or not value:
        return first
    up = raw_exponent(c, width) > bias
    return encode(Fraction(value) * Fraction(2) ** (power if up else -power), "f", width)


def fixed_quotient(name, case):
    """The quotient overflowed on the way: infinity with the sign of the division."""
    width = float_width(name)
    a, b, c = (source(case, i, width) for i in range(3))
    sign = (b ^ c) & sign_bit(width)
    if width == 16:
        return None
    least = -150 if width == 32 else -1075
    if raw_exponent(c, width) - raw_exponent(b, width) < least:
        return sign
    if is_nan(a, width):
        return sign | encode(math.inf, "f", width)
    return None


def fixed_half(_, case):
    """The text puts its cases together in 64 bits and cuts them."""
    a, b, c = (source(case, i, 16) for i in range(3))
    sign = (b ^ c) & 0x8000
    infinity = 0x7C00
    for nan in (c, b):
        if is_nan(nan, 16):
            return nan | 0x200
    zeros, infinite = [not v & 0x7FFF for v in (b, c)], [v & 0x7FFF == infinity for v in (b, c)]
    if all(zeros) or all(infinite):
        return 0xFE00
    if zeros[0] or infinite[1]:
        return sign | infinity
    return sign if infinite[0] or zeros[1] else sign | a & 0x7FFF


# ---- E6, E10: conversions to integers ----
def saturating_pack(name, case):
    low, high = (-0x8000, 0x7FFF) if "i16" in name else (0, 0xFFFF)
    out = 0
    for i in range(2):
        bits = source(case, i, 32)
        number = signed(bits, 32) if "i16" in name else bits
        out |= (clamped(number, low, high) & 0xFFFF) << 16 * i
    return out


def nearest_integer(_, case):
    x = decode(source(case, 0, 32), "f", 32)
    if not math.isfinite(x):
        return None
    whole = math.floor(Fraction(x) + Fraction(1, 2))
    return clamped(whole, -(1 << 31), (1 << 31) - 1) & 0xFFFFFFFF


# ---- E7: what our reader of the texts takes too literally ----
def scaled_half(_, case):
    x = decode(source(case, 0, 16), "f", 16)
    if not math.isfinite(x) or not x:
        return source(case, 0, 16) if not math.isnan(x) else None
    return encode(Fraction(x) * Fraction(2) ** signed(case["s"][1], 16), "f", 16)


def averaged_bytes(_, case):
    out = 0
    for i in range(0, 32, 8):
        a, b, c = (case["s"][k] >> i for k in range(3))
        out |= ((a & 0xFF) + (b & 0xFF) + (c & 1) >> 1) << i
    return out


def sixteenths(_, case):
    return encode(signed(case["s"][0], 4) / 16, "f", 32)


@functools.cache
def two_over_pi(bits):
    """The leading bits of 2/pi as an integer; pi by Machin's formula."""
    one = 1 << (bits + 64)

    def arctan_of_inverse(n):
        total = term = one // n
        k, sign = 3, -1
        while term:
            term //= n * n
            total += sign * (term // k)
            k, sign = k + 2, -sign
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    return (2 << (2 * (bits + 64))) // pi >> 64


def segment_of_two_over_pi(_, case):
    exponent = raw_exponent(source(case, 0, 64), 64)
    shift = (case["s"][1] & 31) * 53 + max(exponent - 1077, 0)
    table = two_over_pi(1201) << 2400
    segment = table >> (1201 + 2400 - 53 - shift) & ((1 << 53) - 1)
    power = -53 - shift + (128 if exponent >= 1968 else 0)
    return encode(Fraction(segment) * Fraction(2) ** power, "f", 64)


# ---- E8: products are added without a rounding between ----
def fused_steps(name, case):
    """Low product, then high product; each sum is rounded to the type of the result."""
    a, b = case["s"][0], case["s"][1]
    result, element = name.split("_")[2:4]
    kind, width = ("bf" if result == "bf16" else "f"), 32 if result == "f32" else 16
    of = "bf" if element == "bf16" else "f"
    old = case["d"] if "2c" in name or "acc" in name else case["s"][2]
    total = decode(old & ((1 << width) - 1), kind, width)
    for shift in (0, 16):
        x, y = (decode(v >> shift & 0xFFFF, of, 16) for v in (a, b))
        exact = fused(x, y, total)
        if kind == "bf" and math.isfinite(exact):  # bf16 sums are rounded to f32 first
            exact = decode(encode(exact, "f", 32), "f", 32)
        total = decode(encode(exact, kind, width), kind, width)
    return encode(total, kind, width)


# ---- E15: mixed multiply-add of gfx9 is fused ----
def fused_mix(_, case):
    a, b, c = (decode(source(case, i, 32), "f", 32) for i in range(3))
    return encode(fused(a, b, c), "f", 32)


# ---- E9: -0 lies below +0 ----
def less(a, b):
    """The smaller of two keys (value, not -0, bits); a number beats a NaN."""
    return b if math.isnan(a[0]) else a if math.isnan(b[0]) else min(a, b)


def more(a, b):
    return b if math.isnan(a[0]) else a if math.isnan(b[0]) else max(a, b)


def middle(a, b, c):
    if any(math.isnan(k[0]) for k in (a, b, c)):
        return less(less(a, b), c)
    return sorted((a, b, c))[1]


SELECTIONS = {
    "min": less,
    "max": more,
    "min3": lambda a, b, c: less(less(a, b), c),
    "max3": lambda a, b, c: more(more(a, b), c),
    "med3": middle,
    "minmax": lambda a, b, c: more(less(a, b), c),
    "maxmin": lambda a, b, c: less(more(a, b), c),
}


def ordered_zeros(name, case, text):
    """`text` is the text's result: with a NaN among the sources it holds but for a zero's sign."""
    width = float_width(name)
    stem = name.split("_pk_")[-1].split("_")[0 if "_pk_" in name else 1]
    select = SELECTIONS[stem.replace("imum", "")]
    count = select.__code__.co_argcount
    out = 0
    for shift in (0, 16) if "_pk_" in name else (0,):
        bits = [case["s"][i] >> shift & ((1 << width) - 1) for i in range(count)]
        of_text = text >> shift & ((1 << width) - 1)
        if any(is_nan(b, width) for b in bits) and of_text & ~sign_bit(width):
            out |= of_text << shift
            continue
        keyed = [(decode(b, "f", width), b != sign_bit(width), b) for b in bits]
        out |= select(*keyed)[2] << shift
    return out


SELECTION = re.compile(r"[sv]_(pk_)?(min|max|med)(imum)?(3|min|max|minimum|maximum)?_(num_)?f\d+$")

# Part of a row's name -> number of the entry, and what is so. None: the text is right in this case.
KNOWN = {
    "rndne": (1, round_to_even),
    "v_fract_f": (2, fraction_below_one),
    "v_frexp_exp": (3, exponent_of),
    "v_rcp_iflag_f32": (4, flushed_function),
    "v_rcp_f32": (4, flushed_function),
    "v_rsq_f32": (4, flushed_function),
    "v_sqrt_f32": (4, flushed_function),
    "v_exp_f32": (4, flushed_function),
    "v_log_f32": (4, flushed_function),
    "v_div_fmas": (5, scaled_multiply_add),
    "v_div_fixup_legacy": (7, fixed_half),
    "v_div_fixup_f16": (7, fixed_half),
    "v_fma_mix_f32": (15, fused_mix),
    "v_div_fixup": (5, fixed_quotient),
    "v_cvt_pk_u16_u32": (6, saturating_pack),
    "v_cvt_pk_i16_i32": (6, saturating_pack),
    "v_ldexp_f16": (7, scaled_half),
    "v_lerp_u8": (7, averaged_bytes),
    "v_cvt_off_f32_i4": (7, sixteenths),
    "v_trig_preop_f64": (7, segment_of_two_over_pi),
    "v_dot2": (8, fused_steps),
    "v_cvt_nearest": (10, nearest_integer),
    "v_cvt_rpi": (10, nearest_integer),
}


def corrected(name, case, text):
    """The result that an entry explains for this case; None if the text's result holds."""
    if SELECTION.match(name):
        return ordered_zeros(name, case, text)
    entry = next((e for part, e in KNOWN.items() if part in name), None)
    return entry[1](name, case) if entry else None

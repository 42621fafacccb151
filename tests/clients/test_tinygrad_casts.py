# SPDX-License-Identifier: MIT
"""Conversions between all pairs of types, bit casts, and copies to and from the device."""

import numpy as np
import pytest
from tinygrad import Device, Tensor, dtypes

from oracle import (
    ALL,
    FLOATS,
    INTS,
    NUMPY,
    check_equal,
    from_bf16_bits,
    quantise,
    random_values,
    special_floats,
    to_bf16_bits,
    type_id,
    upload,
)

over = pytest.mark.parametrize


def integer_edges(dtype):
    """Powers of two and their neighbours: where narrowing wraps and where floats begin to round."""
    info = np.iinfo(NUMPY[dtype])
    near = [s * ((1 << k) + d) for k in range(64) for d in (-1, 0, 1) for s in (1, -1)]
    ties = [
        2049,
        2051,
        4098,
        65519,
        65520,
        257,
        259,
        16777217,
        16777219,
        (1 << 53) + 1,
        (1 << 53) + 3,
    ]
    values = sorted({v for v in near + ties + [info.min, info.max] if info.min <= v <= info.max})
    return np.array(values, NUMPY[dtype])


def float_edges(dtype):
    """Special values, halves and fractions of both signs, and ties of all narrower formats."""
    steps = np.arange(-260, 261) / 4
    big = np.array(
        [
            s * v
            for s in (1, -1)
            for v in (
                127.5,
                128,
                254.5,
                255,
                32767.5,
                65503,
                65519,
                65520,
                8388607.5,
                16777215,
                2.0**31 - 128,
                2.0**31,
                2.0**32 - 256,
                2.0**53 - 1,
                2.0**62,
                2.0**63 - 1024,
                2.0**63,
                2.0**64 - 4096,
            )
        ]
    )
    ties = np.array(
        [s * (1 + (n + 0.5) * 2.0**-k) for s in (1, -1) for k in (7, 10, 23) for n in range(4)]
    )
    small = np.array(
        [
            s * n * 2.0**-e
            for s in (1, -1)
            for e in (24, 25, 133, 134, 149, 150)
            for n in (1, 1.5, 2, 2.5, 3)
        ]
    )
    with np.errstate(all="ignore"):
        return np.concatenate(
            [special_floats(dtype), quantise(np.concatenate([steps, big, ties, small]), dtype)]
        )


def cast_inputs(source, target):
    """Values of the source type for which the language defines the result."""
    if source is dtypes.bool:
        return np.array([True, False, True])
    x = float_edges(source) if source in FLOATS else integer_edges(source)
    if source in FLOATS and target in INTS:
        info = np.iinfo(NUMPY[target])
        whole = np.trunc(x.astype(np.float64))
        # compare as Python integers: 2**63 - 1 itself is no float
        inside = [np.isfinite(w) and info.min <= int(w) <= info.max for w in whole]
        x = x[np.array(inside)]
    return x


@over("target", ALL, ids=type_id)
@over("source", ALL, ids=type_id)
def test_cast(source, target):
    x = cast_inputs(source, target)
    with np.errstate(all="ignore"):
        if target is dtypes.bool:
            want = x != 0
        elif target in FLOATS:
            want = quantise(x, target)
        else:
            want = (np.trunc(x) if source in FLOATS else x).astype(NUMPY[target])
    got = upload(x, source).cast(target).numpy()
    assert got.dtype == NUMPY[target]
    check_equal(got, want, f"{source} -> {target}")


@over("target", (dtypes.int32, dtypes.uint32), ids=type_id)
@over("source", FLOATS, ids=type_id)
def test_cast_out_of_range_saturates(source, target):
    """The language leaves this open; the hardware's conversions clamp, and NaN becomes 0."""
    if Device.DEFAULT != "AMD":
        pytest.skip("about AMD's conversion instructions")
    info = np.iinfo(NUMPY[target])
    x = float_edges(source)
    exact = np.nan_to_num(x.astype(np.float64), nan=0.0)
    want = np.clip(np.trunc(exact), info.min, info.max).astype(NUMPY[target])
    check_equal(upload(x, source).cast(target).numpy(), want, f"{source} -> {target}")


SAME_SIZE = [(dtypes.int8, dtypes.uint8)] + [
    (a, b)
    for group in (
        (dtypes.int16, dtypes.uint16, dtypes.float16, dtypes.bfloat16),
        (dtypes.int32, dtypes.uint32, dtypes.float32),
        (dtypes.int64, dtypes.uint64, dtypes.float64),
    )
    for a in group
    for b in group
    if a is not b
]
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


@over("source,target", SAME_SIZE, ids=type_id)
def test_bitcast(source, target):
    """Bits go through kernels: flipping a bit as an integer on both sides shows NaN payloads."""
    unsigned = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}[
        source.itemsize
    ]
    bits = random_values(unsigned, 200, 40)
    t = (Tensor(bits) ^ 1).bitcast(source).contiguous().realize()
    got = (t.bitcast(target).bitcast(unsigned) ^ 3).numpy()
    check_equal(got, bits ^ BITS[source.itemsize](2), f"{source} as {target}")


def test_bitcast_changes_size():
    a = random_values(dtypes.uint32, (6, 8), 41)
    check_equal(Tensor(a).realize().bitcast(dtypes.uint8).numpy(), a.view(np.uint8))
    check_equal(Tensor(a).realize().bitcast(dtypes.uint64).numpy(), a.view(np.uint64))


@over("dtype", FLOATS, ids=type_id)
def test_bitcast_of_computed_floats(dtype):
    x = special_floats(dtype)
    x = x[~np.isnan(x)]
    unsigned = {2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}[dtype.itemsize]
    want = to_bf16_bits(x) if dtype is dtypes.bfloat16 else x.view(BITS[dtype.itemsize])
    sign = BITS[dtype.itemsize](1 << (dtype.itemsize * 8 - 1))
    check_equal(((-upload(x, dtype)).bitcast(unsigned) ^ int(sign)).numpy(), want)


@over("dtype", ALL, ids=type_id)
@over("size", (1, 3, 255, 4097))
def test_round_trip(dtype, size):
    """Host to device and back, byte for byte."""
    if dtype is dtypes.bfloat16:
        bits = random_values(dtypes.uint16, size, 42) & np.uint16(0xBFFF)  # no NaN
        check_equal(Tensor(bits).bitcast(dtype).realize().numpy(), from_bf16_bits(bits))
        return
    a = random_values(dtype, size, 42, -1e4, 1e4)
    got = Tensor(a).realize().numpy()
    assert got.dtype == a.dtype and got.tobytes() == a.tobytes()


@over("megabytes", (1, 2, 5, 9))
def test_large_copies(megabytes):
    """More than one staging buffer in each direction, odd lengths."""
    a = random_values(dtypes.uint8, (megabytes << 20) + 13, 43)
    t = Tensor(a).realize()
    check_equal(t.numpy(), a)
    check_equal((t ^ 0xFF).numpy(), ~a)


def test_python_values():
    t = Tensor([[1, 2, 3], [4, 5, 6]])
    assert t.tolist() == [[1, 2, 3], [4, 5, 6]] and t.sum().item() == 21
    assert Tensor([1.5, -2.0]).tolist() == [1.5, -2.0]
    assert Tensor([True, False]).tolist() == [True, False]


def test_copy_between_devices():
    a = random_values(dtypes.float32, 5001, 44)
    there = Tensor(a).realize().to("CPU").realize()
    back = there.to(Device.DEFAULT).realize()
    check_equal(there.numpy(), a)
    check_equal((back * 2).numpy(), a * 2)


@over("dtype", (dtypes.fp8e4m3, dtypes.fp8e5m2), ids=lambda d: d.name)
def test_fp8_storage(dtype):
    """Small formats without hardware support are converted by ordinary integer code."""
    exact = np.array([0, 0.5, 1, -1.5, 2, 3, -4, 0.25, 6, 10, -0.75, 12, 16, 28, 56], np.float32)
    check_equal(Tensor(exact).realize().cast(dtype).contiguous().realize().float().numpy(), exact)

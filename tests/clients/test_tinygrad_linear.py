# SPDX-License-Identifier: MIT
"""Matrix products (also on tensor cores), convolutions, pooling, norms, softmax against NumPy."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from tinygrad import Tensor, dtypes, nn
from tinygrad.codegen import to_program
from tinygrad.uop.ops import Ops

from oracle import (
    FLOATS,
    FORMATS,
    SIGNED,
    UNSIGNED,
    check_equal,
    check_floats,
    random_values,
    small_ints,
    type_id,
    upload,
)

over = pytest.mark.parametrize
HALVES = (dtypes.float16, dtypes.bfloat16)


def product_bound(a, b, inner, products_in=None):
    """Error of a product whose k terms are summed in `inner`: any order of summation stays within k
    roundings of sum |a||b|. Without tensor cores each term may first round to `products_in`."""
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    terms = FORMATS[products_in].eps if products_in else 0
    return (a.shape[-1] * FORMATS[inner].eps + terms) * size


PRODUCTS = [(16, 16, 16), (64, 64, 64), (32, 128, 48), (33, 17, 5), (1, 64, 31), (65, 3, 1)]


@over("m,k,n", PRODUCTS)
@over("dtype", FLOATS, ids=type_id)
def test_matmul(dtype, m, k, n):
    a, b = random_values(dtype, (m, k), 50, -1, 1), random_values(dtype, (k, n), 51, -1, 1)
    got = (upload(a, dtype) @ upload(b, dtype)).numpy()
    inner = dtypes.float64 if dtype is dtypes.float64 else dtypes.float32
    if (
        dtype in HALVES
    ):  # tensor cores may keep their sums in the small format: k/16 roundings of it
        inner = dtype
    check_floats(
        got, a.astype(np.float64) @ b.astype(np.float64), dtype, 1, product_bound(a, b, inner)
    )


@over("m,k,n", PRODUCTS)
@over("dtype", HALVES, ids=type_id)
def test_matmul_accumulates_in_f32(dtype, m, k, n):
    a, b = random_values(dtype, (m, k), 52, -1, 1), random_values(dtype, (k, n), 53, -1, 1)
    got = upload(a, dtype).matmul(upload(b, dtype), dtype=dtypes.float32).numpy()
    check_floats(
        got,
        a.astype(np.float64) @ b.astype(np.float64),
        dtypes.float32,
        1,
        product_bound(a, b, dtypes.float32, dtype),
    )


@over("m,k,n", PRODUCTS)
@over("dtype", SIGNED + UNSIGNED, ids=type_id)
def test_integer_matmul(dtype, m, k, n):
    a, b = small_ints(dtype, (m, k), 54, 5), small_ints(dtype, (k, n), 55, 5)
    out = dtypes.int32 if dtype.itemsize < 4 else dtype
    got = upload(a, dtype).matmul(upload(b, dtype), dtype=out).numpy()
    check_equal(got, (a.astype(np.int64) @ b.astype(np.int64)).astype(got.dtype))


GFX11, GFX12, GFX950 = "gfx11", "gfx12", "gfx950"
# What tinygrad's renderer has on each target.
TENSOR_CORES = [
    (dtypes.float16, dtypes.float32, (GFX11, GFX12, GFX950)),
    (dtypes.float16, dtypes.float16, (GFX11, GFX12)),
    (dtypes.bfloat16, dtypes.float32, (GFX11, GFX12, GFX950)),
    (dtypes.bfloat16, dtypes.bfloat16, (GFX12,)),
    (dtypes.int8, dtypes.int32, (GFX11,)),
]


def prove_tensor_core(result, device, targets):
    """The compiled kernel really holds a matrix instruction; skipped where tinygrad has none."""
    if device.device != "AMD":
        return
    if not device.arch.startswith(targets):
        pytest.skip(f"tinygrad has no tensor core of these types on {device.arch}")
    kernels = [call.src[0] for call in result.schedule_linear().src if call.src[0].op is Ops.SINK]
    operations = [u.op for k in kernels for u in to_program(k, device.renderer).toposort()]
    assert Ops.WMMA in operations, "no tensor-core operation"


@over("m,k,n", [(16, 16, 16), (64, 32, 48), (128, 128, 128)])
@over("dtype,out,targets", TENSOR_CORES, ids=lambda v: "" if type(v) is tuple else type_id(v))
def test_tensor_cores(dtype, out, targets, m, k, n, device):
    """The compiled kernel really holds matrix instructions, and its result is right."""
    if dtype is dtypes.int8:  # its full range: products only exist in 32 bits here
        a, b = random_values(dtype, (m, k), 56), random_values(dtype, (k, n), 57)
    else:
        a, b = random_values(dtype, (m, k), 56, -1, 1), random_values(dtype, (k, n), 57, -1, 1)
    ta, tb = upload(a, dtype), upload(b, dtype)
    prove_tensor_core(ta.matmul(tb, dtype=out), device, targets)
    want = a.astype(np.float64) @ b.astype(np.float64)
    got = ta.matmul(tb, dtype=out).numpy()
    if out is dtypes.int32:
        check_equal(got, want.astype(np.int32))
    else:
        exact_terms = device.device == "AMD"
        check_floats(got, want, out, 1, product_bound(a, b, out, None if exact_terms else dtype))


# 0 to 3 as codes of the 8-bit formats.
FP8_CODES = {dtypes.fp8e4m3: (0, 0x38, 0x40, 0x44), dtypes.fp8e5m2: (0, 0x3C, 0x40, 0x42)}


@over("m,k,n", [(16, 32, 16), (64, 128, 48), (32, 256, 32)])
@over("dtype", FP8_CODES, ids=lambda d: d.name)
def test_fp8_tensor_cores(dtype, m, k, n, device):
    def tensor(values):
        codes = np.array(FP8_CODES[dtype], np.uint8)[np.abs(values)] | (values < 0) * np.uint8(0x80)
        return Tensor(codes.astype(np.uint8)).realize().bitcast(dtype)

    a, b = small_ints(dtypes.int32, (m, k), 58, 3), small_ints(dtypes.int32, (k, n), 59, 3)
    ta, tb = tensor(a), tensor(b)
    prove_tensor_core(ta.matmul(tb, dtype=dtypes.float32), device, GFX950)
    check_equal(ta.matmul(tb, dtype=dtypes.float32).numpy(), (a @ b).astype(np.float32))


@over("dtype", (dtypes.float16, dtypes.float32), ids=type_id)
@over(
    "a,b",
    [
        ((5, 8, 33), (5, 33, 20)),
        ((2, 3, 16, 32), (2, 3, 32, 16)),
        ((7, 9), (4, 9, 3)),
        ((6, 1, 4, 5), (3, 5, 2)),
    ],
    ids=str,
)
def test_batched_matmul(dtype, a, b):
    x, y = random_values(dtype, a, 58, -1, 1), random_values(dtype, b, 59, -1, 1)
    got = (upload(x, dtype) @ upload(y, dtype)).numpy()
    check_floats(
        got, x.astype(np.float64) @ y.astype(np.float64), dtype, 1, product_bound(x, y, dtype)
    )


@over(
    "formula,shapes",
    [
        ("ij,kj->ik", [(20, 33), (9, 33)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 8, 16), (2, 3, 10, 16)]),
        ("i,j->ij", [(31,), (17,)]),
        ("ijk->ki", [(8, 3, 5)]),
        ("ab,bc,cd->ad", [(4, 5), (5, 6), (6, 3)]),
    ],
)
def test_einsum(formula, shapes):
    values = [small_ints(dtypes.float32, s, 60 + i, 4) for i, s in enumerate(shapes)]
    check_equal(
        Tensor.einsum(formula, *[Tensor(v) for v in values]).numpy(), np.einsum(formula, *values)
    )


# --- convolution and pooling -------------------------------------------------------------------
def windows(x, kernel, stride=1, padding=0, dilation=1):
    """[n, c, y, x, ky, kx] views of the padded input."""
    x = np.pad(x, [(0, 0)] * 2 + [(padding, padding)] * 2)
    size = [(k - 1) * dilation + 1 for k in kernel]
    return sliding_window_view(x, size, (2, 3))[:, :, ::stride, ::stride, ::dilation, ::dilation]


def convolve(x, w, stride=1, padding=0, dilation=1, groups=1):
    parts = []
    for xs, ws in zip(np.split(x, groups, 1), np.split(w, groups)):
        parts.append(
            np.einsum("ncyxij,ocij->noyx", windows(xs, w.shape[2:], stride, padding, dilation), ws)
        )
    return np.concatenate(parts, 1)


CONVOLUTIONS = [
    {},
    {"stride": 2},
    {"padding": 1},
    {"groups": 4},
    {"dilation": 2},
    {"stride": 3, "padding": 2, "groups": 2},
]


@over("dtype", (dtypes.float16, dtypes.bfloat16, dtypes.float32), ids=type_id)
@over("options", CONVOLUTIONS, ids=str)
def test_conv2d(options, dtype):
    x = small_ints(dtype, (2, 8, 13, 14), 61, 3)
    w = small_ints(dtype, (12, 8 // options.get("groups", 1), 3, 3), 62, 3)
    want = convolve(x.astype(np.float64), w.astype(np.float64), **options)
    got = upload(x, dtype).conv2d(upload(w, dtype), **options).numpy()
    # every product and sum is a small integer: exact in f32, rounded once to bf16
    check_floats(got, want, dtype, 0.5)


@over("kernel", [(1, 1), (5, 5), (3, 1), (2, 4)], ids=str)
def test_conv2d_kernels_and_bias(kernel):
    x, w = (
        small_ints(dtypes.float32, (1, 3, 12, 11), 63, 4),
        small_ints(dtypes.float32, (5, 3, *kernel), 64, 4),
    )
    b = small_ints(dtypes.float32, (5,), 65, 9)
    got = Tensor(x).conv2d(Tensor(w), Tensor(b)).numpy()
    check_equal(got, convolve(x, w) + b[:, None, None])


def test_conv_transpose2d():
    x, w = (
        small_ints(dtypes.float32, (2, 3, 5, 6), 66, 4),
        small_ints(dtypes.float32, (3, 4, 3, 3), 67, 4),
    )
    spread = np.zeros((2, 3, 9, 11), np.float32)
    spread[:, :, ::2, ::2] = x
    want = convolve(spread, w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3), padding=2)
    check_equal(Tensor(x).conv_transpose2d(Tensor(w), stride=2).numpy(), want)


@over("kernel,stride", [(2, 2), (3, 2), (3, 1)])
@over("name", ("max_pool2d", "avg_pool2d"))
def test_pooling(name, kernel, stride):
    x = small_ints(dtypes.float32, (2, 3, 11, 12), 68, 50)
    view = windows(x, (kernel, kernel), stride)
    want = view.max((4, 5)) if name == "max_pool2d" else view.astype(np.float64).mean((4, 5))
    check_floats(
        getattr(Tensor(x), name)(kernel_size=kernel, stride=stride).numpy(), want, dtypes.float32, 2
    )


@over("mode", ("nearest", "linear"))
def test_interpolate(mode):
    x = small_ints(dtypes.float32, (1, 2, 5, 7), 69, 9)
    got = Tensor(x).interpolate((10, 14), mode=mode).numpy()
    if mode == "nearest":
        want = x.repeat(2, 2).repeat(2, 3)
    else:

        def stretch(v, axis):
            n = v.shape[axis]
            at = np.clip((np.arange(2 * n) + 0.5) / 2 - 0.5, 0, n - 1)
            low = np.floor(at).astype(int)
            part = (at - low).reshape([-1 if i == axis else 1 for i in range(4)])
            return v.take(low, axis) * (1 - part) + v.take(np.minimum(low + 1, n - 1), axis) * part

        want = stretch(stretch(x.astype(np.float64), 2), 3)
    check_floats(got, want, dtypes.float32, 4, 1e-6)


# --- norms and softmax -------------------------------------------------------------------------
def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@over("dtype", FLOATS, ids=type_id)
@over("shape,axis", [((7, 33), 1), ((256, 5), 0), ((2, 3, 130), -1)], ids=str)
def test_softmax(shape, axis, dtype):
    x = random_values(dtype, shape, 70)
    want = softmax(x.astype(np.float64), axis)
    # exponents reach 8: exp's relative error is about 2 + 8 roundings, the sum adds as many again
    check_floats(upload(x, dtype).softmax(axis).numpy(), want, dtype, 24)
    got = upload(x, dtype).log_softmax(axis).numpy()
    check_floats(got, np.log(want), dtype, 8, 8 * FORMATS[dtype].eps)


def test_softmax_of_extremes():
    x = np.array([[1e4, 0, -1e4], [-np.inf, 0, 0], [88, 89, 90], [-1e30, -1e30, -1e30]], np.float32)
    check_floats(
        Tensor(x).softmax(1).numpy(), softmax(x.astype(np.float64), 1), dtypes.float32, 24, 1e-38
    )


@over("dtype", (dtypes.float16, dtypes.float32), ids=type_id)
def test_layernorm(dtype):
    x = random_values(dtype, (6, 96), 71)
    wide = x.astype(np.float64)
    want = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    check_floats(upload(x, dtype).layernorm().numpy(), want, dtype, 8, 16 * FORMATS[dtype].eps)


def test_norm_layers():
    x = random_values(dtypes.float32, (4, 8, 5, 5), 72)
    wide, eps = x.astype(np.float64), 1e-5

    def standardise(axes, shape=None):
        v = wide.reshape(shape or wide.shape)
        return (
            (v - v.mean(axes, keepdims=True)) / np.sqrt(v.var(axes, keepdims=True) + eps)
        ).reshape(x.shape)

    limits = {"ulps": 8, "absolute": 16 * FORMATS[dtypes.float32].eps}
    check_floats(
        nn.GroupNorm(4, 8)(Tensor(x)).numpy(),
        standardise((2, 3, 4), (4, 4, 2, 5, 5)),
        dtypes.float32,
        **limits,
    )
    check_floats(
        nn.InstanceNorm(8)(Tensor(x)).numpy(), standardise((2, 3)), dtypes.float32, **limits
    )
    rms = nn.RMSNorm(5)(Tensor(x)).numpy()
    check_floats(
        rms, wide / np.sqrt((wide**2).mean(3, keepdims=True) + 1e-6), dtypes.float32, **limits
    )


def test_batchnorm_training_and_inference():
    from tinygrad import Context

    x = random_values(dtypes.float32, (16, 6, 4, 4), 73)
    wide = x.astype(np.float64)
    mean, var = wide.mean((0, 2, 3)), wide.var((0, 2, 3))
    layer = nn.BatchNorm(6)
    with Context(TRAINING=1):
        got = layer(Tensor(x)).numpy()
    want = (wide - mean[:, None, None]) / np.sqrt(var + 1e-5)[:, None, None]
    check_floats(got, want, dtypes.float32, 8, 2e-6)
    n = wide.size // 6
    check_floats(layer.running_mean.numpy(), 0.1 * mean, dtypes.float32, 8, 1e-6)
    check_floats(layer.running_var.numpy(), 0.9 + 0.1 * var * n / (n - 1), dtypes.float32, 16)
    running = (
        layer.running_mean.numpy().astype(np.float64),
        layer.running_var.numpy().astype(np.float64),
    )
    want = (wide - running[0][:, None, None]) / np.sqrt(running[1] + 1e-5)[:, None, None]
    check_floats(layer(Tensor(x)).numpy(), want, dtypes.float32, 8, 1e-6)


@over("causal", (False, True))
def test_attention(causal):
    q, k, v = (random_values(dtypes.float32, (2, 3, 20, 16), 74 + i, -1, 1) for i in range(3))
    score = np.einsum("bhqd,bhkd->bhqk", q.astype(np.float64), k) / 4
    if causal:
        score = np.where(np.tril(np.ones((20, 20), bool)), score, -np.inf)
    want = softmax(score, -1) @ v
    got = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), is_causal=causal).numpy()
    check_floats(got, want, dtypes.float32, 4, 32 * FORMATS[dtypes.float32].eps)


def test_linear_and_embedding():
    table, index = (
        small_ints(dtypes.float32, (40, 24), 77, 9),
        np.array([[0, 39, 7], [7, 7, 1]], np.int32),
    )
    layer = nn.Embedding(40, 24)
    layer.weight = Tensor(table)
    check_equal(layer(Tensor(index)).numpy(), table[index])
    dense = nn.Linear(24, 10)
    w, b = small_ints(dtypes.float32, (10, 24), 78, 5), small_ints(dtypes.float32, (10,), 79, 5)
    dense.weight, dense.bias = Tensor(w), Tensor(b)
    check_equal(dense(layer(Tensor(index))).numpy(), table[index] @ w.T + b)


def test_lstm_cell():
    x, h, c = (random_values(dtypes.float32, (3, 12), 80 + i, -1, 1) for i in range(3))
    cell = nn.LSTMCell(12, 12)
    gates = (
        x.astype(np.float64) @ cell.weight_ih.numpy().T
        + cell.bias_ih.numpy()
        + h @ cell.weight_hh.numpy().T
        + cell.bias_hh.numpy()
    )
    i, f, g, o = np.split(gates, 4, 1)
    s = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    new_c = s(f) * c + s(i) * np.tanh(g)
    got_h, got_c = cell(Tensor(x), (Tensor(h), Tensor(c)))
    check_floats(got_c.numpy(), new_c, dtypes.float32, 8, 4e-6)
    check_floats(got_h.numpy(), s(o) * np.tanh(new_c), dtypes.float32, 8, 4e-6)

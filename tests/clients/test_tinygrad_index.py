# SPDX-License-Identifier: MIT
"""Movement, indexing, gather and scatter, sorting, and random numbers of tinygrad against NumPy."""

import numpy as np
import pytest
from tinygrad import Tensor, dtypes

from oracle import (
    FLOATS,
    INTS,
    NUMPY,
    check_equal,
    check_floats,
    random_values,
    rng,
    small_ints,
    type_id,
    upload,
)

over = pytest.mark.parametrize
SOME = (
    dtypes.bool,
    dtypes.int8,
    dtypes.uint16,
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)

# name -> function of an array or a tensor of shape (6, 10) (both libraries spell it alike)
SLICES = {
    "row": lambda t: t[2],
    "negative row": lambda t: t[-1],
    "column": lambda t: t[:, 3],
    "inner": lambda t: t[1:4, 2:9],
    "step": lambda t: t[::2, 1::3],
    "reverse": lambda t: t[::-1, ::-2],
    "ellipsis": lambda t: t[..., 4],
    "new axis": lambda t: t[:, None, 2:5],
    "one": lambda t: t[3, 7],
    "empty": lambda t: t[4:4],
    "transpose": lambda t: t.T,
    "reshape": lambda t: t.reshape(4, 15)[1:3, ::2],
}


@over("name", SLICES)
def test_slices(name):
    a = random_values(dtypes.int32, (6, 10), 90)
    check_equal(SLICES[name](Tensor(a)).numpy(), SLICES[name](a), name)


@over("dtype", SOME, ids=type_id)
def test_movement(dtype):
    a = random_values(dtype, (3, 4, 5), 91)
    t = upload(a, dtype)
    check_equal(t.permute(2, 0, 1).contiguous().numpy(), a.transpose(2, 0, 1), "permute")
    check_equal(t.pad(((1, 2), (0, 0), (3, 0))).numpy(), np.pad(a, ((1, 2), (0, 0), (3, 0))), "pad")
    check_equal(t.flip((0, 2)).contiguous().numpy(), a[::-1, :, ::-1], "flip")
    check_equal(t.repeat(2, 1, 3).numpy(), np.tile(a, (2, 1, 3)), "repeat")
    check_equal(t.roll(2, 1).numpy(), np.roll(a, 2, 1), "roll")
    check_equal(t.cat(t.flip(0), dim=1).numpy(), np.concatenate([a, a[::-1]], 1), "cat")
    check_equal(Tensor.stack(t, t, dim=2).numpy(), np.stack([a, a], 2), "stack")


@over("name", ("tril", "triu"))
@over("diagonal", (-1, 0, 2))
def test_triangles(name, diagonal):
    a = random_values(dtypes.int32, (7, 5), 92)
    check_equal(getattr(Tensor(a), name)(diagonal).numpy(), getattr(np, name)(a, diagonal))


def test_creation():
    check_equal(Tensor.arange(3, 50, 7).numpy(), np.arange(3, 50, 7))
    check_equal(Tensor.arange(1000003).numpy(), np.arange(1000003))
    check_equal(Tensor.eye(9).numpy(), np.eye(9))
    check_equal(Tensor.full((3, 5), 7).numpy(), np.full((3, 5), 7))
    check_floats(
        Tensor.linspace(-1, 2, 31).numpy(), np.linspace(-1, 2, 31), dtypes.float32, 4, 1e-7
    )
    check_equal(Tensor.arange(5).one_hot(6).numpy(), np.eye(6)[:5])
    check_equal(
        Tensor.arange(4).meshgrid(Tensor.arange(3))[1].numpy(),
        np.meshgrid(range(4), range(3), indexing="ij")[1],
    )


@over("dtype", SOME, ids=type_id)
def test_index_by_tensor(dtype):
    a, i = random_values(dtype, (50, 6), 93), rng(94).integers(0, 50, 77).astype(np.int32)
    t = upload(a, dtype)
    check_equal(t[Tensor(i)].numpy(), a[i])
    check_equal(t[Tensor(i), 2].numpy(), a[i, 2])
    column = (i % 6).astype(np.int32)
    check_equal(t[Tensor(i), Tensor(column)].numpy(), a[i, column])


@over("dtype", SOME, ids=type_id)
def test_gather(dtype):
    a, i = random_values(dtype, (20, 31), 95), rng(96).integers(0, 20, (9, 31)).astype(np.int32)
    check_equal(upload(a, dtype).gather(0, Tensor(i)).numpy(), np.take_along_axis(a, i, 0))


@over("dtype", SOME, ids=type_id)
def test_scatter(dtype):
    a, v = random_values(dtype, (20, 9), 97), random_values(dtype, (8, 9), 98)
    i = np.stack([rng(99 + c).permutation(20)[:8] for c in range(9)], 1).astype(
        np.int32
    )  # distinct in a column
    want = a.copy()
    np.put_along_axis(want, i, v, 0)
    check_equal(upload(a, dtype).scatter(0, Tensor(i), upload(v, dtype)).numpy(), want)


@over(
    "dtype",
    (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64),
    ids=type_id,
)
@over("reduce", ("sum", "amax", "amin", "prod"))
def test_scatter_reduce(reduce, dtype):
    a, v = small_ints(dtype, (12,), 100, 3), small_ints(dtype, (40,), 101, 2)
    i = rng(102).integers(0, 12, 40).astype(np.int32)
    want = a.astype(np.float64).copy()
    if reduce == "prod":
        v = np.where(np.arange(40) % 5 == 0, v, v.dtype.type(1))
    function = {"sum": np.add, "amax": np.maximum, "amin": np.minimum, "prod": np.multiply}[reduce]
    function.at(want, i, v.astype(np.float64))
    check_equal(
        upload(a, dtype).scatter_reduce(0, Tensor(i), upload(v, dtype), reduce).numpy(),
        want,
        reduce,
    )


def test_setitem():
    a, t = random_values(dtypes.int32, (8, 9), 103), None
    t = Tensor(a).contiguous().realize()
    b = a.copy()
    t[2:5, 1] = 7
    b[2:5, 1] = 7
    t[::3] = Tensor(b[0] * 2)
    b[::3] = b[0] * 2
    t[-1, 4:] = t[0, 4:] + 1
    b[-1, 4:] = b[0, 4:] + 1
    check_equal(t.numpy(), b)


def test_assign_in_place():
    a = random_values(dtypes.float32, (100,), 104)
    t = Tensor(a).realize()
    for k in range(5):
        t.assign(t * 0.5 + k).realize()
        a = a * np.float32(0.5) + np.float32(k)
    check_floats(t.numpy(), a, dtypes.float32, 2)


def test_masked_select_and_nonzero():
    a = small_ints(dtypes.int32, (11, 7), 105, 3)
    check_equal(Tensor(a).masked_select(Tensor(a) > 0).numpy(), a[a > 0])
    check_equal(Tensor(a).nonzero().numpy(), np.argwhere(a))


@over("k", (1, 3))
def test_diagonal_and_unfold(k):
    a = random_values(dtypes.int32, (9, 9), 106)
    check_equal(Tensor(a).diagonal().numpy(), np.diagonal(a))
    windows = np.lib.stride_tricks.sliding_window_view(a, k + 1, 1)[:, ::k]
    check_equal(Tensor(a).unfold(1, k + 1, k).numpy(), windows)


# --- order -------------------------------------------------------------------------------------
@over(
    "dtype,size",
    [(t, 33) for t in SOME] + [(dtypes.int32, 1), (dtypes.float32, 100)],
    ids=lambda v: str(v) if isinstance(v, int) else type_id(v),
)
def test_sort(dtype, size):
    a = random_values(dtype, (3, size), 107)
    values, order = upload(a, dtype).sort(1)
    check_equal(values.numpy(), np.sort(a, 1, kind="stable"))
    check_equal(np.take_along_axis(a, order.numpy(), 1), np.sort(a, 1))
    assert all(sorted(row) == list(range(size)) for row in order.numpy().tolist())
    check_equal(upload(a, dtype).sort(1, descending=True)[0].numpy(), np.sort(a, 1)[:, ::-1])


def test_sort_keeps_equal_elements_in_order():
    a = rng(108).integers(0, 4, 60).astype(np.int32)
    check_equal(Tensor(a).argsort().numpy(), np.argsort(a, kind="stable"))


@over("dtype", (dtypes.int16, dtypes.int32, dtypes.float32, dtypes.float64), ids=type_id)
@over("largest", (True, False))
def test_topk(dtype, largest):
    a = random_values(dtype, (4, 70), 109)
    values, index = upload(a, dtype).topk(9, largest=largest)
    want = np.sort(a, 1)[:, ::-1][:, :9] if largest else np.sort(a, 1)[:, :9]
    check_equal(values.numpy(), want)
    check_equal(np.take_along_axis(a, index.numpy(), 1), want)


# --- random numbers ----------------------------------------------------------------------------
def threefry2x32(key, counter):
    """The published 20-round generator, on arrays of 32-bit words."""
    rotations, k = (
        ((13, 15, 26, 6), (17, 29, 16, 24)),
        [key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA)],
    )
    with np.errstate(over="ignore"):
        x0, x1 = counter[0] + k[0], counter[1] + k[1]
        for group in range(5):
            for r in rotations[group % 2]:
                x0 = x0 + x1
                x1 = ((x1 << np.uint32(r)) | (x1 >> np.uint32(32 - r))) ^ x0
            x0 = x0 + k[(group + 1) % 3]
            x1 = x1 + k[(group + 2) % 3] + np.uint32(group + 1)
    return x0, x1


def test_threefry():
    """The generator itself, bit for bit."""
    x, key = random_values(dtypes.uint64, 500, 110), random_values(dtypes.uint64, 500, 111)

    def halves(v):
        return (v & np.uint64(0xFFFFFFFF)).astype(np.uint32), (v >> np.uint64(32)).astype(np.uint32)

    low, high = threefry2x32(halves(key), halves(x))
    want = (high.astype(np.uint64) << np.uint64(32)) | low
    check_equal(Tensor(x).threefry(Tensor(key)).numpy(), want)


@over("dtype", FLOATS, ids=type_id)
def test_uniform(dtype):
    Tensor.manual_seed(7)
    a = Tensor.rand(10007, dtype=dtype).numpy().astype(np.float64)
    Tensor.manual_seed(7)
    check_equal(Tensor.rand(10007, dtype=dtype).numpy().astype(np.float64), a, "same seed")
    Tensor.manual_seed(8)
    assert (Tensor.rand(10007, dtype=dtype).numpy() != a).mean() > 0.9
    assert 0 <= a.min() and a.max() < 1
    # five standard errors of mean and variance, and of the counts in ten bins
    assert abs(a.mean() - 0.5) < 5 * (1 / 12 / a.size) ** 0.5 + 2**-8
    assert abs(a.var() - 1 / 12) < 0.005
    assert (
        np.abs(np.histogram(a, 10, (0, 1))[0] - a.size / 10).max()
        < 5 * (a.size * 0.09) ** 0.5 + a.size * 0.01
    )


def test_normal_and_integers():
    Tensor.manual_seed(9)
    a = Tensor.randn(20011).numpy().astype(np.float64)
    assert abs(a.mean()) < 0.04 and abs(a.std() - 1) < 0.03 and 3 < np.abs(a).max() < 7
    assert abs((a**3).mean()) < 0.15 and abs((a**4).mean() - 3) < 0.4
    b = Tensor.randint(20011, low=-3, high=9).numpy()
    assert set(np.unique(b)) == set(range(-3, 9)) and abs(b.mean() - 2.5) < 0.15
    check_equal(np.sort(Tensor.randperm(257).numpy()), np.arange(257))


def test_dropout_and_multinomial():
    from tinygrad import Context

    Tensor.manual_seed(10)
    with Context(TRAINING=1):
        a = Tensor.ones(5003).dropout(0.25).numpy()
    assert (
        set(np.unique(a)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
        and 0.7 < (a > 0).mean() < 0.8
    )
    picks = Tensor([0.0, 1.0, 0.0, 3.0]).multinomial(2000, replacement=True).numpy()
    assert set(np.unique(picks)) == {1, 3} and abs((picks == 3).mean() - 0.75) < 0.05


@over("dtype", INTS + (dtypes.float32,), ids=type_id)
def test_indexed_counts(dtype):
    """A histogram without atomics: a comparison matrix and a sum."""
    i = rng(112).integers(0, 13, 500).astype(NUMPY[dtype])
    got = (upload(i, dtype).unsqueeze(1) == Tensor.arange(13).cast(dtype)).sum(0).numpy()
    check_equal(got, np.bincount(i.astype(np.int64), minlength=13))

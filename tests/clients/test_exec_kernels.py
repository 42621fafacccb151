# SPDX-License-Identifier: MIT
"""Kernels compiled from OpenCL C run by `lockstep exec`, in wave32 and wave64, against NumPy."""

import numpy as np
import pytest
from exec_support import WAVES, Launch, Out, groups, kernel_file

SIZES = [1, 31, 33, 64, 1000]
waves = pytest.mark.parametrize("wave", WAVES)
sizes = pytest.mark.parametrize("n", SIZES)
linked_or_not = pytest.mark.parametrize("kind", ["co", "o"])  # "o": the loader links


@pytest.fixture
def launch(tmp_path):
    return Launch(tmp_path)


def random(n, seed=1):
    return np.random.default_rng(seed + n)


def u32(rng, n, high=2**32):
    return rng.integers(0, high, n, dtype=np.uint32)


@waves
@pytest.mark.parametrize("block", [1, 33, 64, 256, 1024])
@pytest.mark.parametrize("n", [1, 31, 33, 1000, 100003])
def test_vector_add(launch, wave, n, block):
    if n // block > 4000:
        n = 4001
    rng = random(n)
    a, b = rng.standard_normal((2, n), dtype=np.float32)
    c = launch(kernel_file("vector_add", wave), "vector_add", groups(n, block), block,
               a, b, Out(n, "f4"), f"u32:{n}")  # fmt: skip
    np.testing.assert_array_equal(c, a + b)


@waves
@pytest.mark.parametrize("block", [1, 7, 32, 64, 100, 256, 1024])
@pytest.mark.parametrize("n", [1, 33, 5000])
def test_reduction(launch, wave, n, block):
    values = random(n).integers(-100, 100, n).astype(np.float32)  # exact in every order
    count = groups(n, block)
    partial = launch(kernel_file("reduction", wave), "reduction", count, block,
                     values, Out(count, "f4"), f"u32:{n}")  # fmt: skip
    padded = np.zeros(count * block, np.float32)
    padded[:n] = values
    np.testing.assert_array_equal(partial, padded.reshape(count, block).sum(axis=1))


@waves
@pytest.mark.parametrize("m,n,k", [(1, 1, 1), (16, 16, 16), (33, 17, 50), (64, 48, 80)])
def test_tiled_matmul(launch, wave, m, n, k):
    rng = random(m * n * k)
    a = rng.integers(-8, 8, (m, k)).astype(np.float32)
    b = rng.integers(-8, 8, (k, n)).astype(np.float32)
    c = launch(kernel_file("tiled_matmul", wave), "tiled_matmul",
               (groups(n, 16), groups(m, 16)), (16, 16),
               a, b, Out((m, n), "f4"), f"u32:{m}", f"u32:{n}", f"u32:{k}")  # fmt: skip
    np.testing.assert_array_equal(c, a @ b)


@waves
@pytest.mark.parametrize("n,block", [(1, 1), (33, 32), (1000, 64), (20011, 256), (5000, 300)])
def test_histogram(launch, wave, n, block):
    values = u32(random(n), n) // 3
    bins = launch(kernel_file("histogram", wave), "histogram", groups(n, block), block,
                  values, Out(256, "u4"), f"u32:{n}")  # fmt: skip
    np.testing.assert_array_equal(bins, np.bincount(values % 256, minlength=256))


@waves
@sizes
def test_scratch(launch, wave, n):
    x = u32(random(n), n)
    args = (groups(n, 64), 64, x, Out(n, "u4"), f"u32:{n}")
    path = kernel_file("scratch", wave)
    with np.errstate(over="ignore"):
        table = np.tile(np.arange(256, dtype=np.uint32) * 3 + 1, (n, 1))
        rows, state = np.arange(n), x.copy()
        for k in range(40):
            state = state * np.uint32(1664525) + np.uint32(1013904223)
            table[rows, state >> 24] += state ^ np.uint32(k)
        expected = table[rows, state >> 24] + table[rows, (state >> 13) & 255] * np.uint32(7)
        expected += table[rows, x % 256]
        np.testing.assert_array_equal(launch(path, "scratch", *args), expected)

        narrow = np.tile((np.arange(400) * 37).astype(np.int8), (n, 1))
        shorts = np.tile((np.arange(300) * 4099).astype(np.uint16), (n, 1))
        state = x.copy()
        for _ in range(20):
            state = state * np.uint32(1664525) + np.uint32(1013904223)
            narrow[rows, (state >> 16) % 400] = state.astype(np.int8)
            shorts[rows, (state >> 8) % 300] ^= (state >> 3).astype(np.uint16)
        expected = narrow[rows, x % 400].astype(np.uint32)
        expected += shorts[rows, x % 300].astype(np.uint32) * np.uint32(256)
        np.testing.assert_array_equal(launch(path, "scratch_narrow", *args), expected)


@waves
@sizes
@linked_or_not
def test_calls(launch, wave, n, kind):
    x = random(n).integers(-3, 4, n).astype(np.float32)
    out = launch(kernel_file("calls", wave, kind=kind), "calls", groups(n, 64), 64,
                 x, Out(3 * n, "f4"), f"u32:{n}")  # fmt: skip
    sums, products, counts = out.reshape(3, n)

    def polynomial(v, degree):
        y = np.ones_like(v)
        for i in range(degree):
            y = y * v + np.float32(i)
        return y

    values = np.stack([polynomial(x, k) + polynomial(-x, k + 1) for k in range(5)])
    count = 3 + np.arange(n) % 3
    used = np.arange(5)[:, None] < count
    np.testing.assert_array_equal(counts, count)
    np.testing.assert_allclose(sums, np.where(used, values, 0).sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(products, np.where(used, values, 1).prod(axis=0), rtol=1e-5)


@waves
@sizes
def test_struct_args(launch, wave, n):
    fields = [("tag", "i1"), ("scale", "f8"), ("counts", "i2", 3), ("x", "i4"), ("y", "u1")]
    settings = np.zeros((), np.dtype(fields, align=True))
    settings["tag"], settings["scale"], settings["counts"] = -5, 1.5, [100, -200, 300]
    settings["x"], settings["y"] = -7, 250
    raw = ",".join(str(b) for b in settings.tobytes())
    out = launch(kernel_file("struct_args", wave), "struct_args", groups(n, 64), 64,
                 "u8:200", f"u8:{raw}", Out(n, "f4"), "f32:1,2,3,4", f"u32:{n}")  # fmt: skip
    i = np.arange(n)
    base = 1.5 * i + np.array([100, -200, 300])[i % 3]
    np.testing.assert_array_equal(out, base + 195 + -7 * 250 + np.where(i & 1, 2, 3))


@waves
@pytest.mark.parametrize(
    "grid,block",
    [
        ((1, 1, 1), (1, 1, 1)),
        ((3, 2, 2), (5, 3, 2)),
        ((2, 3, 1), (16, 8, 4)),
        ((1, 1, 4), (1, 1, 33)),
    ],
)
def test_ids(launch, wave, grid, block):
    total = [g * b for g, b in zip(grid, block)]
    out = launch(kernel_file("ids", wave), "ids", grid, block, Out(4 * int(np.prod(total)), "u4"))
    z, y, x = np.indices(total[::-1]).reshape(3, -1)

    def pack(a, b, c):
        return a | b << 10 | c << 20

    expected = np.stack([
        pack(x % block[0], y % block[1], z % block[2]),
        pack(x // block[0], y // block[1], z // block[2]),
        np.full_like(x, pack(*block)),
        np.full_like(x, pack(*total)),
    ], axis=1)  # fmt: skip
    np.testing.assert_array_equal(out.reshape(-1, 4), expected)


@waves
@sizes
@linked_or_not
def test_const_table(launch, wave, n, kind):
    x = u32(random(n), n)
    out = launch(kernel_file("const_table", wave, kind=kind), "const_table", groups(n, 64), 64,
                 x, Out(n, "i4"), f"u32:{n}")  # fmt: skip
    primes = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53])
    tables = np.stack([primes, np.arange(16) ** 2])
    np.testing.assert_array_equal(out, primes[x & 15] * 1000 + tables[x >> 4 & 1, x >> 5 & 15])


@waves
@sizes
def test_control_flow(launch, wave, n):
    rng = random(n)
    path = kernel_file("control_flow", wave)

    def run(kernel, values, dtype):
        return launch(path, kernel, groups(n, 64), 64, values, Out(n, dtype), f"u32:{n}")

    def collatz(x):
        steps = 0
        while x > 1 and steps < 1000:
            x = (3 * x + 1) & 0xFFFFFFFF if x & 1 else x // 2
            steps += 1
        return steps

    starts = u32(rng, n, 10000)
    np.testing.assert_array_equal(run("collatz", starts, "u4"), [collatz(int(x)) for x in starts])
    programs = u32(rng, n)
    expected = [interpret(i, int(p)) for i, p in enumerate(programs)]
    np.testing.assert_array_equal(run("interpreter", programs, "i4"), expected)

    def nested(x):
        total = 0
        for j in range(x % 13):
            for k in range(j, 20):
                if (k * j + x) % 7 == 3:
                    continue
                if k * j > 100:
                    break
                total += k ^ j
            if total > 500:
                total -= 250
        return total

    starts = u32(rng, n, 2**20)
    np.testing.assert_array_equal(run("nested", starts, "u4"), [nested(int(x)) for x in starts])


def interpret(index, program):
    """The machine of control_flow.cl's `interpreter`."""

    def wrap(v):
        return (v + 2**31) % 2**32 - 2**31

    a, b, k = index, 1, 0
    while k < 8:
        op = program >> 4 * k & 15
        if op == 0:
            a = wrap(a + b)
        elif op == 1:
            a = wrap(a - b)
        elif op == 2:
            b = wrap(b + a)
        elif op == 3:
            a = wrap(a * 3)
        elif op == 4:
            b ^= a
        elif op == 5:
            a = wrap(-a)
        elif op == 6:
            a >>= 1
        elif op == 7:
            b = wrap(b << 2)
            k += 1
            continue
        elif op == 8:
            a = max(a, 0)
        elif op == 9:
            k += 1
        elif op == 10:
            a = wrap(a + sum(range(b & 7)))
        elif op == 11:
            return wrap(a - b)
        else:
            b = wrap(b + k)
        if a > 1000000 or b > 1000000:
            break
        k += 1
    return wrap(a * 31 + b)


@waves
@pytest.mark.parametrize("n,block", [(1, 1), (33, 32), (1000, 64), (3000, 256)])
def test_atomics(launch, wave, n, block):
    rng = random(n)
    path = kernel_file("atomics", wave)

    def run(kernel, *args):
        return launch(path, kernel, groups(n, block), block, *args, f"u32:{n}")

    with np.errstate(over="ignore"):
        x = u32(rng, n)
        start = np.array([5, 5, 2**32 - 1, 1, 9, 2**32 - 1, 0, 2**31 - 1, 2**31, 3], np.uint32)
        signed = x.view(np.int32)
        expected = [
            5 + x.sum(dtype=np.uint32), 5 - x.sum(dtype=np.uint32), np.bitwise_and.reduce(x | 0xFF),
            1 | np.bitwise_or.reduce(x & 0xFF00), 9 ^ np.bitwise_xor.reduce(x), x.min(), x.max(),
            signed.min(), signed.max(), 3 * np.multiply.reduce(x | 1, dtype=np.uint32),
        ]  # fmt: skip
        expected = np.array([int(v) % 2**32 for v in expected], np.uint32)
        np.testing.assert_array_equal(run("atomics_u32", x, Out(10, "u4", start)), expected)

        wide = rng.integers(0, 2**64, n, dtype=np.uint64)
        expected = [wide.sum(dtype=np.uint64), np.bitwise_xor.reduce(wide), wide.max()]
        np.testing.assert_array_equal(run("atomics_u64", wide, Out(3, "u8")), expected)

    counter, tickets = run("tickets", Out(1, "u4"), Out(n, "u4"))
    assert counter[0] == n
    np.testing.assert_array_equal(np.sort(tickets), np.arange(n))

    small = rng.integers(-50, 50, n).astype(np.float32)
    expected = [small[k::3].sum() for k in range(3)]
    np.testing.assert_array_equal(run("atomics_f32", small, Out(3, "f4")), expected)

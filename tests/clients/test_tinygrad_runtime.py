# SPDX-License-Identifier: MIT
"""What surrounds the kernels: captured graphs, many tensors in flight, gradients, optimisers, and
tinygrad's own switches for queues and compilers."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tinygrad import Context, Device, Tensor, TinyJit, Variable, dtypes, nn

from oracle import check_equal, check_floats, random_values, rng, small_ints

over = pytest.mark.parametrize


# --- TinyJit -----------------------------------------------------------------------------------
@over("shape", [(1,), (33,), (16, 16), (3, 5, 7), (4099,)], ids=str)
def test_jit_replays(shape):
    @TinyJit
    def step(x, y):
        return (x * 2 + y).realize(), (x.sum() + y.max()).realize()

    for i in range(6):
        x, y = (random_values(dtypes.float32, shape, 120 + 2 * i + k) for k in (0, 1))
        a, b = step(Tensor(x).realize(), Tensor(y).realize())
        check_equal(a.numpy(), x * 2 + y, f"replay {i}")
        check_floats(
            b.numpy(), x.astype(np.float64).sum() + y.max(), dtypes.float32, 4, x.size * 4e-7
        )


def test_jit_of_a_long_chain():
    """More kernels than one graph batch holds, each depending on the one before."""

    @TinyJit
    def chain(x):
        for i in range(70):
            x = (x.flip(0) + i).contiguous()
        return x.realize()

    for i in range(5):
        x = small_ints(dtypes.int32, (257,), 130 + i)
        want = x
        for k in range(70):
            want = want[::-1] + k
        check_equal(chain(Tensor(x).realize()).numpy(), want, f"replay {i}")


def test_jit_changes_state():
    total = Tensor.zeros(10).contiguous().realize()

    @TinyJit
    def accumulate(x):
        total.assign(total + x).realize()

    for i in range(8):
        accumulate(Tensor(np.full(10, i, np.float32)).realize())
    check_equal(total.numpy(), np.full(10, 28))


def test_jit_with_a_symbolic_length():
    a = random_values(dtypes.float32, (20, 8), 140)
    t = Tensor(a).realize()

    @TinyJit
    def rows(x, n):
        return (x[:n].sum(0) * 2).realize()

    for n in (3, 4, 7, 11, 20):
        got = rows(t, Variable("n", 1, 20).bind(n)).numpy()
        check_floats(got, a[:n].astype(np.float64).sum(0) * 2, dtypes.float32, 4, 1e-5)


# --- work in flight ----------------------------------------------------------------------------
def test_many_tensors_in_flight():
    """All work is queued before anything is read back."""
    arrays = [random_values(dtypes.int32, (n,), 150 + n) >> 4 for n in range(1, 120, 3)]
    tensors = [(Tensor(a) * 3 - i).realize() for i, a in enumerate(arrays)]
    sums = [t.sum().realize() for t in tensors]
    for i in reversed(range(len(arrays))):
        check_equal(tensors[i].numpy(), arrays[i] * 3 - i, f"tensor {i}")
        check_equal(sums[i].numpy(), (arrays[i] * 3 - i).sum(dtype=np.int32), f"sum {i}")


def test_copies_and_kernels_interleave():
    t = Tensor(np.zeros(70001, np.int32)).realize()
    for i in range(12):
        t = (t + Tensor(np.full(70001, i, np.int32)).realize()).realize()
        if i % 4 == 3:
            check_equal(t.numpy(), np.full(70001, i * (i + 1) // 2))


def test_buffers_are_reused():
    for i in range(40):
        a = Tensor.full((100000,), i).contiguous().realize()
        assert a.numpy().sum() == i * 100000
        del a


def test_realize_together():
    a = random_values(dtypes.float32, (64, 33), 160)
    t = Tensor(a).realize()
    parts = [t + 1, t.max(1), t.T.contiguous(), t[3:9] * 2]
    Tensor.realize(*parts)
    for got, want in zip(parts, [a + 1, a.max(1), a.T, a[3:9] * 2]):
        check_equal(got.numpy(), want)


# --- gradients ---------------------------------------------------------------------------------
def numeric_gradient(function, x, h=1e-5):
    """Central differences in f64."""
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i], down[i] = x[i] + h, x[i] - h
        grad[i] = (function(up) - function(down)) / (2 * h)
    return grad


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


GRADIENTS = {
    "polynomial": (lambda t: (t**3 - 2 * t).sum(), lambda x: (x**3 - 2 * x).sum()),
    "exp sin": (lambda t: (t.exp() * t.sin()).sum(), lambda x: (np.exp(x) * np.sin(x)).sum()),
    "sigmoid tanh": (
        lambda t: (t.sigmoid() * t.tanh()).sum(),
        lambda x: (np.tanh(x) / (1 + np.exp(-x))).sum(),
    ),
    "log sqrt": (
        lambda t: ((t * t + 1).log() + (t * t + 2).sqrt()).sum(),
        lambda x: (np.log(x * x + 1) + np.sqrt(x * x + 2)).sum(),
    ),
    "matmul": (lambda t: ((t @ t.T) ** 2).mean(), lambda x: ((x @ x.T) ** 2).mean()),
    "max": (
        lambda t: (t.max(1) * t.min(0).sum()).sum(),
        lambda x: (x.max(1) * x.min(0).sum()).sum(),
    ),
    "softmax": (
        lambda t: (t.softmax(1) * Tensor.arange(6)).sum(),
        lambda x: (softmax(x) * np.arange(6)).sum(),
    ),
    "layernorm": (
        lambda t: (t.layernorm() * Tensor.arange(6)).sum(),
        lambda x: (
            (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * np.arange(6)
        ).sum(),
    ),
    "slices": (
        lambda t: (t[1:, ::2] * t[:-1, 1::2]).sum(),
        lambda x: (x[1:, ::2] * x[:-1, 1::2]).sum(),
    ),
    "division": (lambda t: (t / (t * t + 1)).sum(), lambda x: (x / (x * x + 1)).sum()),
    "where": (
        lambda t: (t > 0.1).where(t * t, t * 3).sum(),
        lambda x: np.where(x > 0.1, x * x, x * 3).sum(),
    ),
}


@over("name", GRADIENTS)
def test_gradient(name):
    function, reference = GRADIENTS[name]
    x = rng(170).uniform(-1, 1, (5, 6))
    t = Tensor(x.astype(np.float32)).realize()
    got = function(t).gradient(t)[0].numpy()
    want = numeric_gradient(reference, x.astype(np.float32).astype(np.float64))
    # central differences are good to 1e-9 here; f32 sums of some dozen terms of size up to 30
    check_floats(got, want, dtypes.float32, 16, 2e-5, what=name)


def test_convolution_gradient():
    x, w = rng(171).uniform(-1, 1, (2, 3, 7, 6)), rng(172).uniform(-1, 1, (4, 3, 3, 3))
    a, b = Tensor(x.astype(np.float32)).realize(), Tensor(w.astype(np.float32)).realize()
    ga, gb = (a.conv2d(b, padding=1) ** 2).sum().gradient(a, b)

    def loss(x, w):
        v = np.lib.stride_tricks.sliding_window_view(
            np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)]), (3, 3), (2, 3)
        )
        return (np.einsum("ncyxij,ocij->noyx", v, w) ** 2).sum()

    check_floats(ga.numpy(), numeric_gradient(lambda v: loss(v, w), x), dtypes.float32, 16, 2e-4)
    check_floats(gb.numpy(), numeric_gradient(lambda v: loss(x, v), w), dtypes.float32, 16, 2e-4)


def test_embedding_gradient_adds_repeated_rows():
    index, scale = np.array([3, 1, 3, 3, 0], np.int32), small_ints(dtypes.float32, (5, 8), 173)
    layer = nn.Embedding(6, 8)
    layer.weight = Tensor(np.ones((6, 8), np.float32)).is_param_()
    (layer(Tensor(index)) * Tensor(scale)).sum().backward()
    want = np.zeros((6, 8))
    np.add.at(want, index, scale)
    check_equal(layer.weight.grad.numpy(), want)


# --- optimisers --------------------------------------------------------------------------------
def sgd(w, g, s, t):
    s[0] = 0.9 * s[0] + g
    return w - 0.05 * s[0]


def adam(w, g, s, t, decay=0.0):
    s[0], s[1] = 0.9 * s[0] + 0.1 * g, 0.999 * s[1] + 0.001 * g * g
    # tinygrad keeps the powers of beta in f32: 1 - 0.999 then has an error of 1e-5
    m, v = (x / (1 - float(np.float32(b)) ** t) for x, b in zip(s, (0.9, 0.999)))
    return w - 0.05 * (m / (np.sqrt(v) + 1e-8) + decay * w)


OPTIMISERS = {
    "SGD with momentum": (lambda p: nn.optim.SGD(p, lr=0.05, momentum=0.9), sgd),
    "Adam": (lambda p: nn.optim.Adam(p, lr=0.05), adam),
    "AdamW": (
        lambda p: nn.optim.AdamW(p, lr=0.05, weight_decay=0.1),
        lambda w, g, s, t: adam(w, g, s, t, 0.1),
    ),
}


@over("name", OPTIMISERS)
def test_optimiser(name):
    make, update = OPTIMISERS[name]
    x, y = rng(180).normal(size=(32, 6)), rng(181).normal(size=(32, 2))
    w = rng(182).normal(size=(6, 2)).astype(np.float32)
    t, tx, ty = Tensor(w).is_param_(), Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32))
    optimiser = make([t])

    @TinyJit
    def step():
        with Context(TRAINING=1):
            optimiser.zero_grad()
            loss = ((tx @ t - ty) ** 2).mean().backward()
            return loss.realize(*optimiser.schedule_step())

    want, state, losses = w.astype(np.float64), [np.zeros(w.shape), np.zeros(w.shape)], []
    for k in range(12):
        error = x @ want - y
        want = update(want, 2 * x.T @ error / error.size, state, k + 1)
        got = step().item()
        losses.append((got, (error**2).mean()))
    check_floats([a for a, _ in losses], [b for _, b in losses], dtypes.float32, 64)
    check_floats(t.numpy(), want, dtypes.float32, 64, 4e-6)


# --- tinygrad's switches -----------------------------------------------------------------------
PROGRAM = """
import numpy as np
from tinygrad import Device, Tensor, TinyJit
rng = np.random.default_rng(1)
@TinyJit
def step(x, w):
    return ((x @ w).relu().sum(1) + x.max(1)).realize()
w = rng.integers(-4, 5, (48, 64)).astype(np.float32)
for i in range(6):
    x = rng.integers(-4, 5, (32, 48)).astype(np.float32)
    want = np.maximum(x @ w, 0).sum(1) + x.max(1)
    assert (step(Tensor(x).realize(), Tensor(w).realize()).numpy() == want).all(), i
big = rng.integers(0, 256, (3 << 20) + 5, dtype=np.uint8)
assert (Tensor(big).realize().numpy() == big).all()
print("right on", Device.DEFAULT)
"""
SWITCHES = {
    "plain": {},
    "no copy queue": {"AMD_DISABLE_SDMA": "1"},
    "AQL queue": {"AMD_AQL": "1"},
    "debug output": {"DEBUG": "2"},
    "no graphs": {"JIT": "2"},
    "no tensor cores": {"TC": "0"},
    "no optimisation": {"NOOPT": "1"},
    "worker pool": {"PARALLEL": "2", "CACHELEVEL": "0"},
}


@over("name", SWITCHES)
def test_switch(name):
    environment = {**os.environ, **SWITCHES[name]}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-3000:]
    assert f"right on {Device.DEFAULT}" in done.stdout


def test_two_processes_at_once():
    """Each process has its own device."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in started:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0 and f"right on {Device.DEFAULT}" in out, err[-3000:]

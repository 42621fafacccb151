# SPDX-License-Identifier: MIT
"""One transformer block, forward and backward, against the same block written in NumPy (f64)."""

import math

import numpy as np
import pytest
from tinygrad import Context, Tensor, TinyJit, dtypes, nn

from oracle import FORMATS, check_floats, quantise, rng

BATCH, LENGTH, WIDTH, HEADS, HIDDEN = 2, 24, 32, 4, 64
HEAD = WIDTH // HEADS
SHAPES = {
    "norm1.weight": (WIDTH,),
    "norm1.bias": (WIDTH,),
    "qkv.weight": (3 * WIDTH, WIDTH),
    "qkv.bias": (3 * WIDTH,),
    "out.weight": (WIDTH, WIDTH),
    "out.bias": (WIDTH,),
    "norm2.weight": (WIDTH,),
    "norm2.bias": (WIDTH,),
    "up.weight": (HIDDEN, WIDTH),
    "up.bias": (HIDDEN,),
    "down.weight": (WIDTH, HIDDEN),
    "down.bias": (WIDTH,),
}


class Block:
    """Pre-norm attention and MLP with residuals, of tinygrad's own layers."""

    def __init__(self):
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def __call__(self, x):
        parts = self.qkv(self.norm1(x)).reshape(*x.shape[:2], 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
        mixed = parts[0].scaled_dot_product_attention(parts[1], parts[2], is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(*x.shape))
        return x + self.down(self.up(self.norm2(x)).gelu())


# --- the same in NumPy -------------------------------------------------------------------------
def norm(x, w, b):
    scale = 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    unit = (x - x.mean(-1, keepdims=True)) * scale
    return unit * w + b, (unit, scale)


def norm_backward(d, w, saved):
    unit, scale = saved
    du = d * w
    dx = scale * (du - du.mean(-1, keepdims=True) - unit * (du * unit).mean(-1, keepdims=True))
    return dx, (d * unit).sum((0, 1)), d.sum((0, 1))


def gelu(x):
    t = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (
        1 + 3 * 0.044715 * x * x
    )
    return 0.5 * x * (1 + t), slope


def forward(p, x):
    s = {}
    a, s["norm1"] = norm(x, p["norm1.weight"], p["norm1.bias"])
    parts = (
        (a @ p["qkv.weight"].T + p["qkv.bias"])
        .reshape(BATCH, LENGTH, 3, HEADS, HEAD)
        .transpose(2, 0, 3, 1, 4)
    )
    q, k, v = parts
    score = np.where(
        np.tril(np.ones((LENGTH, LENGTH), bool)), q @ k.swapaxes(-1, -2) / math.sqrt(HEAD), -np.inf
    )
    weight = np.exp(score - score.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    mixed = (weight @ v).swapaxes(1, 2).reshape(x.shape)
    h = x + mixed @ p["out.weight"].T + p["out.bias"]
    c, s["norm2"] = norm(h, p["norm2.weight"], p["norm2.bias"])
    active, slope = gelu(c @ p["up.weight"].T + p["up.bias"])
    s.update(a=a, q=q, k=k, v=v, weight=weight, mixed=mixed, c=c, active=active, slope=slope)
    return h + active @ p["down.weight"].T + p["down.bias"], s


def backward(p, s, dy):
    """Gradients of sum(dy * block(x)) for x and every parameter."""
    g = {}

    def linear(name, d, inputs):
        g[name + ".weight"], g[name + ".bias"] = np.einsum("bto,bti->oi", d, inputs), d.sum((0, 1))
        return d @ p[name + ".weight"]

    dc = linear("up", linear("down", dy, s["active"]) * s["slope"], s["c"])
    dh, g["norm2.weight"], g["norm2.bias"] = norm_backward(dc, p["norm2.weight"], s["norm2"])
    dh = dh + dy
    d_mixed = linear("out", dh, s["mixed"]).reshape(BATCH, LENGTH, HEADS, HEAD).swapaxes(1, 2)
    d_weight = d_mixed @ s["v"].swapaxes(-1, -2)
    d_score = (
        s["weight"] * (d_weight - (d_weight * s["weight"]).sum(-1, keepdims=True)) / math.sqrt(HEAD)
    )
    d_parts = np.stack(
        [
            d_score @ s["k"],
            d_score.swapaxes(-1, -2) @ s["q"],
            s["weight"].swapaxes(-1, -2) @ d_mixed,
        ]
    )
    da = linear("qkv", d_parts.transpose(1, 3, 0, 2, 4).reshape(BATCH, LENGTH, 3 * WIDTH), s["a"])
    dx, g["norm1.weight"], g["norm1.bias"] = norm_backward(da, p["norm1.weight"], s["norm1"])
    return dx + dh, g


def values(dtype):
    """Parameters, input and output gradient as the format holds them."""
    p = {
        n: quantise(
            rng(200 + i).normal(
                1.0 if n.startswith("norm") and n.endswith("weight") else 0,
                0.3 if len(s) == 1 else s[1] ** -0.5,
                s,
            ),
            dtype,
        )
        for i, (n, s) in enumerate(SHAPES.items())
    }
    shape = (BATCH, LENGTH, WIDTH)
    return (
        p,
        quantise(rng(220).normal(size=shape), dtype),
        quantise(rng(221).normal(size=shape), dtype),
    )


def wide(p):
    return {n: v.astype(np.float64) for n, v in p.items()}


def make_block(p):
    block = Block()
    state = nn.state.get_state_dict(block)
    assert set(state) == set(p)
    for name, tensor in state.items():
        tensor.replace(Tensor(p[name]).realize())
    return block, state


def worst(got, want):
    return np.abs(got.astype(np.float64) - want).max() / np.abs(want).max()


def test_reference_gradients_are_right():
    """The oracle itself: gradients against differences of its forward pass along random lines."""
    p, x, dy = values(dtypes.float64)
    y, saved = forward(p, x)
    dx, g = backward(p, saved, dy)
    for name in [None, *SHAPES]:
        along = rng(230).normal(size=x.shape if name is None else SHAPES[name])

        def loss(h):
            moved = p if name is None else {**p, name: p[name] + h * along}
            return (dy * forward(moved, x + h * along if name is None else x)[0]).sum()

        slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
        assert slope == pytest.approx(
            (along * (dx if name is None else g[name])).sum(), rel=1e-6, abs=1e-6
        ), name


# Limits relative to the largest value: f32 keeps 24 bits through about ten operations on sums of up
# to 64 terms; f16 rounds every intermediate to 11 bits.
@pytest.mark.parametrize(
    "dtype,limit", [(dtypes.float32, 2e-6), (dtypes.float16, 8e-3)], ids=["f32", "f16"]
)
def test_forward(dtype, limit):
    p, x, _ = values(dtype)
    block, _ = make_block(p)
    got = block(Tensor(x).realize())
    assert got.dtype == dtype
    assert worst(got.numpy(), forward(wide(p), x.astype(np.float64))[0]) < limit


def test_backward():
    p, x, dy = values(dtypes.float32)
    block, state = make_block(p)
    tx = Tensor(x).realize()
    names = list(state)
    grads = (block(tx) * Tensor(dy).realize()).sum().gradient(tx, *[state[n] for n in names])
    Tensor.realize(*grads)
    _, saved = forward(wide(p), x.astype(np.float64))
    dx, g = backward(wide(p), saved, dy.astype(np.float64))
    assert worst(grads[0].numpy(), dx) < 5e-6
    for name, grad in zip(names, grads[1:]):
        assert worst(grad.numpy(), g[name]) < 5e-6, name


def test_training_steps_under_jit():
    """Four SGD steps of the block towards a target, each against NumPy's."""
    p, x, target = values(dtypes.float32)
    block, state = make_block(p)
    for tensor in state.values():
        tensor.is_param_()
    optimiser = nn.optim.SGD(list(state.values()), lr=0.05)
    tx, ty = Tensor(x).realize(), Tensor(target).realize()

    @TinyJit
    def step():
        with Context(TRAINING=1):
            optimiser.zero_grad()
            loss = ((block(tx) - ty) ** 2).mean().backward()
            return loss.realize(*optimiser.schedule_step())

    q, losses = wide(p), []
    for _ in range(4):
        y, saved = forward(q, x.astype(np.float64))
        losses.append((step().item(), ((y - target) ** 2).mean()))
        _, g = backward(q, saved, 2 * (y - target) / y.size)
        q = {n: q[n] - 0.05 * g[n] for n in q}
    got, want = zip(*losses)
    check_floats(got, want, dtypes.float32, 64)
    assert want[-1] < want[0]
    for name, tensor in state.items():
        assert worst(tensor.numpy(), q[name]) < 64 * FORMATS[dtypes.float32].eps, name

# SPDX-License-Identifier: MIT
"""Trains a small network with tinygrad on its default device, and again in NumPy, and compares."""

import importlib.metadata
import sys
import time

import numpy as np
from tinygrad import Context, Device, Tensor, TinyJit, nn

STEPS, BATCH, IMAGE, HIDDEN, CLASSES, RATE = 32, 64, 28 * 28, 64, 10, 0.1
SHOWN = (1, 2, 4, 8, 16, 24, STEPS)
LIMIT = 1e-4


def make_images(rng):
    """Ten smooth random patterns; an image is one of them, brighter or darker, under noise."""
    coarse = rng.normal(size=(CLASSES, 7, 7))
    patterns = np.kron(coarse, np.ones((4, 4))).reshape(CLASSES, IMAGE)
    labels = rng.integers(0, CLASSES, (STEPS + 8) * BATCH)
    noise = rng.normal(0, 2.0, (labels.size, IMAGE))
    images = patterns[labels] + noise + rng.normal(0, 0.3, (labels.size, 1))
    return (images / 4).astype(np.float32), labels.astype(np.int32)


def initial_weights(rng):
    return [
        rng.normal(0, IMAGE**-0.5, (IMAGE, HIDDEN)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        rng.normal(0, HIDDEN**-0.5, (HIDDEN, CLASSES)).astype(np.float32),
        np.zeros(CLASSES, np.float32),
    ]


def train_tinygrad(batches, weights):
    params = [Tensor(w).is_param_() for w in weights]
    w1, b1, w2, b2 = params
    optimiser = nn.optim.SGD(params, lr=RATE)

    def network(x):
        return (x @ w1 + b1).relu() @ w2 + b2

    @TinyJit
    def step(x, y):
        optimiser.zero_grad()
        loss = network(x).sparse_categorical_crossentropy(y).backward()
        return loss.realize(*optimiser.schedule_step())

    with Context(TRAINING=1):
        losses = [step(Tensor(x).realize(), Tensor(y).realize()).item() for x, y in batches]
    return losses, [p.numpy() for p in params], lambda x: network(Tensor(x)).argmax(1).numpy()


def train_numpy(batches, weights):
    """The same training with the gradients written out, in double precision."""
    w1, b1, w2, b2 = params = [w.astype(np.float64) for w in weights]
    losses = []
    for x, y in batches:
        hidden = np.maximum(x @ w1 + b1, 0)
        logits = hidden @ w2 + b2
        shifted = logits - logits.max(1, keepdims=True)
        log_p = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
        losses.append(-log_p[np.arange(BATCH), y].mean())
        d_logits = (np.exp(log_p) - np.eye(CLASSES)[y]) / BATCH
        d_hidden = (d_logits @ w2.T) * (hidden > 0)
        gradients = [x.T @ d_hidden, d_hidden.sum(0), hidden.T @ d_logits, d_logits.sum(0)]
        for parameter, gradient in zip(params, gradients):
            parameter -= RATE * gradient
    return losses, params, lambda x: (np.maximum(x @ w1 + b1, 0) @ w2 + b2).argmax(1)


def relative_difference(got, want):
    """Largest difference over the largest value; a NaN is as far away as can be."""
    difference = np.abs(np.asarray(got) - want).max() / np.abs(want).max()
    return float(difference) if np.isfinite(difference) else float("inf")


def main():
    rng = np.random.default_rng(2024)
    images, labels = make_images(rng)
    weights = initial_weights(rng)
    batches = [(images[i * BATCH :][:BATCH], labels[i * BATCH :][:BATCH]) for i in range(STEPS)]
    unseen, answers = images[STEPS * BATCH :], labels[STEPS * BATCH :]

    device = Device[Device.DEFAULT]
    print(
        f"program   tinygrad {importlib.metadata.version('tinygrad')}: {IMAGE}-{HIDDEN}-{CLASSES}"
        " network, ReLU, softmax cross-entropy, SGD,\n"
        f"          {STEPS} steps of {BATCH} images, the step captured by TinyJit"
    )
    print(
        f"device    {device.device}, {device.arch or device.renderer.target}, kernels compiled by"
        f" {type(device.renderer.compiler).__name__}\n"
    )

    start = time.perf_counter()
    losses, trained, classify = train_tinygrad(batches, weights)
    seconds = time.perf_counter() - start
    reference_losses, reference, reference_classify = train_numpy(batches, weights)

    print("  step      loss     NumPy")
    for i in SHOWN:
        loss, want = losses[i - 1], reference_losses[i - 1]
        bar = (
            "█" * round(40 * min(1.0, max(0.0, loss / reference_losses[0])))
            if np.isfinite(loss)
            else "?"
        )
        print(f"  {i:4d}  {loss:8.5f}  {want:8.5f}  {bar}")
    right = (classify(unseen) == answers).mean()
    reference_right = (reference_classify(unseen) == answers).mean()
    worst = max(
        [relative_difference(losses, reference_losses)]
        + [relative_difference(g, w) for g, w in zip(trained, reference)]
    )
    fell = bool(np.mean(losses[-4:]) < 0.5 * losses[0])
    close = worst <= LIMIT
    print(f"\nunseen    {right:.1%} of {answers.size} images right (NumPy: {reference_right:.1%})")
    print(
        f"training  {seconds:.1f} s; the loss {'fell' if fell else 'DID NOT FALL'}"
        f" from {losses[0]:.4f} to {losses[-1]:.4f}"
    )
    print(
        f"against NumPy in double precision: largest relative difference of losses and weights"
        f" {worst:.1e}, {'within' if close else 'ABOVE'} {LIMIT:.0e}"
    )
    return 0 if fell and close else 1


if __name__ == "__main__":
    sys.exit(main())

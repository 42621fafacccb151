# SPDX-License-Identifier: MIT
"""Compiled kernels that load, store and count in images, on each generation, against NumPy."""

import numpy as np
import pytest
from exec_support import KERNELS, Launch, Out, groups, lockstep

TARGETS = ["gfx1100", "gfx1151", "gfx1201", "gfx90a"]
FLOAT4, UNORM4, FLOAT, UINT = "32_32_32_32_float", "8_8_8_8_unorm", "32_float", "32_uint"
FORMATS = {FLOAT4: 63, UNORM4: 42, FLOAT: 22, UINT: 20}  # gfx11 and gfx12
DATA_FORMATS = {FLOAT4: (14, 7), UNORM4: (10, 0), FLOAT: (4, 7), UINT: (4, 4)}  # gfx90a
BYTES = {FLOAT4: 16, UNORM4: 4, FLOAT: 4, UINT: 4}
D1, D2, D3, D2_ARRAY = 8, 9, 10, 13
XYZW = 4 | 5 << 3 | 6 << 6 | 7 << 9


def row_texels(target, texel_format, width):
    unit = (128 if target.startswith("gfx12") else 256) // BYTES[texel_format]
    return -(-width // unit) * unit


def resource(target, kind, texel_format, width, height=1, depth=0):
    """The eight dwords without the base address, as a vector argument."""
    words = [0] * 8
    w, h = width - 1, height - 1
    words[3] = XYZW | kind << 28
    if target.startswith("gfx9"):
        data, number = DATA_FORMATS[texel_format]
        words[1] = data << 20 | number << 26
        words[2] = w | h << 14
        words[4] = depth | (row_texels(target, texel_format, width) - 1) << 13
    else:
        words[1] = FORMATS[texel_format] << (17 if target.startswith("gfx12") else 20) | (w & 3) << 30
        words[2] = w >> 2 | h << 14
        words[4] = depth
    return "u32:" + ",".join(map(str, words))


@pytest.fixture(params=TARGETS)
def target(request):
    return request.param


@pytest.fixture(params=["interp", "jit", "verify"])
def engine(request):
    return f"--engine={request.param}"


@pytest.mark.parametrize("width,height", [(8, 8), (21, 13)])
def test_mirror(tmp_path, target, engine, width, height):
    pixels = np.random.default_rng(7).random((height, width, 4), dtype=np.float32)
    memory = np.full((height, row_texels(target, FLOAT4, width), 4), 9, np.float32)
    memory[:, :width] = pixels
    out = Launch(tmp_path)(
        KERNELS / f"image.{target}.co", "mirror", (groups(width, 8), groups(height, 8)), (8, 8),
        memory, Out((height, row_texels(target, UNORM4, width), 4), "u1", start=77),
        resource(target, D2, FLOAT4, width, height), resource(target, D2, UNORM4, width, height),
        options=[engine],
    )  # fmt: skip
    want = np.full_like(out, 77)
    want[:, :width] = np.rint(pixels[:, ::-1] * np.float32(0.5) * 255.0).astype(np.uint8)
    np.testing.assert_array_equal(out, want)


def test_layers(tmp_path, target, engine):
    depth, height, width = 5, 9, 11
    memory = np.zeros((depth, height, row_texels(target, FLOAT, width)), np.float32)
    memory[:, :, :width] = np.random.default_rng(8).random((depth, height, width), np.float32)
    layers, counts = Launch(tmp_path)(
        KERNELS / f"image.{target}.co", "layers", (2, 2, depth + 1), (8, 8, 1), memory,
        Out((depth, width, row_texels(target, FLOAT, height)), "f4"), Out(depth, "u4"),
        resource(target, D3, FLOAT, width, height, depth - 1),
        resource(target, D2_ARRAY, FLOAT, height, width, depth - 1),
        resource(target, D1, UINT, depth),
        options=[engine],
    )  # fmt: skip
    values = memory[:, :, :width]
    np.testing.assert_array_equal(layers[:, :, :height], values.transpose(0, 2, 1))
    np.testing.assert_array_equal(counts, (values > 0.5).sum(axis=(1, 2)))


def test_tiled_images_are_refused_by_name(target):
    tiled = resource(target, D2, FLOAT4, 8, 8).split(",")
    tiled[3] = str(int(tiled[3]) | 9 << 20)
    done = lockstep(
        "exec", KERNELS / f"image.{target}.co", "--kernel=mirror", "--grid=1", "--block=8,8",
        "--arg", "zeros:f32:8x64x4", "--arg", "zeros:u32:8x64", "--arg", ",".join(tiled),
        "--arg", resource(target, D2, UNORM4, 8, 8),
    )  # fmt: skip
    assert done.returncode == 1
    assert "SW_MODE 9" in done.stderr and "linear" in done.stderr, done.stderr

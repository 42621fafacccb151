# SPDX-License-Identifier: MIT
"""`lockstep asm`: lines as a stream, and hex."""

import json
import subprocess

import pytest

from conftest import LOCKSTEP, good, lockstep, refused

MOV = "8002007e"  # v_mov_b32_e32 v0, 0
END = "0000b0bf"  # s_endpgm


def test_lines():
    lines = ["v_mov_b32 v0, 0", "", "v_mov_b32 v0", "nonsense v0", "v_mov_b32 v0, 0 ; comment", "s_endpgm", "\x01"]
    out = good("asm", "--mcpu=gfx1100", "--lines", "-", stdin="\n".join(lines) + "\n").stdout.splitlines()
    assert len(out) == len(lines)
    assert out[0] == out[4] == MOV and out[5] == END
    for bad in (1, 2, 3, 6):
        assert out[bad].startswith("error: "), out[bad]
    assert "nonsense" in out[3]


def test_lines_answer_at_once():
    """A test may keep one process open: the answer comes before the next line is needed."""
    process = subprocess.Popen([LOCKSTEP, "asm", "--mcpu=gfx1100", "--lines", "-"], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    for _ in range(3):
        for line, text in (("v_mov_b32 v0, 0", MOV), ("s_endpgm", END)):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == text + "\n"
    process.stdin.close()
    assert process.wait(timeout=10) == 0


def test_lines_as_json():
    out = good("asm", "--mcpu=gfx1100", "--lines", "--json", "-", stdin="s_endpgm\ns_movk_i32 s0, 65536\n").stdout.splitlines()
    assert json.loads(out[0]) == {"input": "s_endpgm", "bytes": END}
    second = json.loads(out[1])
    assert second["column"] == 16 and "16 bits" in second["error"]


def test_features():
    run = lambda line, *options: good("asm", "--mcpu=gfx1100", "--lines", *options, "-", stdin=line + "\n").stdout  # noqa: E731
    carry = "v_cndmask_b32_e32 v0, v1, v2, vcc"
    assert run(carry).startswith("error: ")
    assert run(carry, "--mattr=+wavefrontsize64") == run(carry + "_lo") == "01050002\n"
    half = "v_add_f16 v0.h, v1.l, v2.h"
    assert run(half).startswith("error: ")
    assert len(run(half, "--mattr=+real-true16").strip()) == 8


@pytest.mark.parametrize(
    "wrong,right", [("v_mov_b31", "v_mov_b32"), ("s_endpg", "s_endpgm"), ("gloabl_load_b32", "global_load_b32")]
)
def test_a_misspelt_mnemonic_finds_its_neighbours(wrong, right):
    out = good("asm", "--mcpu=gfx1100", "--lines", "-", stdin=wrong + " v0\n").stdout
    assert wrong in out and "did you mean" in out and right in out


def test_hex(tmp_path):
    source = tmp_path / "a.s"
    source.write_text("\nv_mov_b32 v0, 0\n\ns_endpgm\n")
    assert good("asm", "--mcpu=gfx1100", "--hex", source).stdout == f"{MOV}\n{END}\n"


def test_hex_shows_every_error_and_its_place(tmp_path):
    source = tmp_path / "a.s"
    source.write_text("v_mov_b32 v0, 0\nfrob\n  s_movk_i32 s0, 65536\n")
    done = lockstep("asm", "--mcpu=gfx1100", "--hex", source)
    assert done.returncode == 2 and done.stdout == ""
    assert f"{source}:2:1: error: frob" in done.stderr
    assert f"{source}:3:18: error: " in done.stderr and "\n  s_movk_i32 s0, 65536\n                 ^\n" in done.stderr


@pytest.mark.parametrize(
    "options,parts",
    [
        (["--lines", "-"], ["--mcpu"]),
        (["--lines", "--mcpu=gfx9", "-"], ["gfx9", "gfx90a"]),
        (["--mcpu=gfx1100", "-"], ["-o OUT"]),
        (["--mcpu=gfx1100:frob+", "-", "-o", "x.co"], ["frob+", "gfx1100"]),
        (["--mcpu=gfx1100", "--hex", "--json", "-"], ["--lines"]),
        (["--mcpu=gfx1100", "--lines", "--mattr=+frob", "-"], ["frob", "wavefrontsize64"]),
        (["--mcpu=gfx1100", "--lines", "/nowhere/x"], ["/nowhere/x"]),
        (["--mcpu=gfx1100", "--lines"], ["FILE"]),
    ],
)
def test_refusals(options, parts):
    refused(lockstep("asm", *options, stdin="s_endpgm\n"), *parts)

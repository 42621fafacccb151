# SPDX-License-Identifier: MIT
"""`lockstep disasm`: code objects, raw bytes, and lines as a stream."""

import json
import re
import subprocess

import pytest

from conftest import LOCKSTEP, good, kernel, lockstep, refused

MOV = "8002007e"  # v_mov_b32_e32 v0, 0
END = "0000b0bf"  # s_endpgm


def test_code_object_agrees_with_llvm():
    """Same instructions in the same order as llvm-objdump; only branch targets are spelled differently."""
    text = good("disasm", kernel("reduction")).stdout
    assert "; kernel reduction: wave32" in text and "LDS 4096 bytes" in text
    ours = re.findall(r"^  (\S.*?) +; ([0-9a-f]{6}): ", text, re.M)
    dump = subprocess.run(["llvm-objdump-22", "-d", kernel("reduction")], capture_output=True, text=True, check=True)
    theirs = re.findall(r"^\t(\S.*?) +// 0*([0-9A-F]{6}): ", dump.stdout, re.M)
    squeeze = lambda line: re.sub(r"(s_c?branch\w*) .*", r"\1", re.sub(r" +", " ", line)).strip()  # noqa: E731
    mine = {int(address, 16): squeeze(line) for line, address in ours}
    llvm = {int(address, 16): squeeze(line) for line, address in theirs if "s_code_end" not in line}
    assert len(llvm) > 50
    for address, line in llvm.items():
        assert mine.get(address) == line, hex(address)


def test_branches_go_to_labels():
    text = good("disasm", kernel("reduction"), "--kernel=reduction").stdout
    targets = re.findall(r"s_c?branch\w* (\S+)", text)
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:$", text, re.M), f"{target} has no line"


def test_json():
    out = json.loads(good("disasm", kernel("vector_add"), "--json").stdout)
    assert out["target"] == "gfx1100" and out["kernels"][0]["name"] == "vector_add"
    function = next(f for f in out["functions"] if f["name"] == "vector_add")
    assert function["instructions"][-1]["text"] == "s_endpgm"
    assert function["instructions"][-1]["bytes"] == END


def test_raw_bytes(tmp_path):
    raw = tmp_path / "code.bin"
    raw.write_bytes(bytes.fromhex(MOV + END))
    lines = good("disasm", "--mcpu=gfx1100", raw).stdout.splitlines()
    assert [line.split(";")[0].strip() for line in lines] == ["v_mov_b32_e32 v0, 0", "s_endpgm"]
    same = good("disasm", "--mcpu=gfx1100", "-", stdin=f"{MOV} {END}\n").stdout.splitlines()
    assert same == lines


def test_words_that_are_no_instruction_fail():
    done = lockstep("disasm", "--mcpu=gfx1100", "-", stdin=f"{MOV} efbeadde {END}")
    assert done.returncode == 1
    assert ".long 0xdeadbeef" in done.stdout and "s_endpgm" in done.stdout
    assert "1 word is no instruction" in done.stderr


def test_lines():
    lines = [MOV, "", "zz", "800", "ffffffff", f"0x{MOV[:2]},0x02,0x00,0x7e", MOV + END, MOV[:4], END]
    out = good("disasm", "--mcpu=gfx1100", "--lines", "-", stdin="\n".join(lines) + "\n").stdout.splitlines()
    assert len(out) == len(lines)
    assert out[0] == out[5] == "v_mov_b32_e32 v0, 0" and out[8] == "s_endpgm"
    for bad in (1, 2, 3, 4, 6, 7):
        assert out[bad].startswith("error: "), out[bad]
    assert "'z'" in out[2] and "8" in out[6]


def test_lines_answer_at_once():
    """A test may keep one process open: the answer comes before the next line is needed."""
    process = subprocess.Popen([LOCKSTEP, "disasm", "--mcpu=gfx1100", "--lines", "-"], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    for _ in range(3):
        for line, text in ((MOV, "v_mov_b32_e32 v0, 0"), (END, "s_endpgm")):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == text + "\n"
    process.stdin.close()
    assert process.wait(timeout=10) == 0


def test_lines_as_json():
    out = good("disasm", "--mcpu=gfx1100", "--lines", "--json", "-", stdin=f"{MOV}\nzz\n").stdout.splitlines()
    first = json.loads(out[0])
    assert first["input"] == MOV and first["text"] == "v_mov_b32_e32 v0, 0" and "error" not in first
    assert "error" in json.loads(out[1])


def test_features():
    select = subprocess.run(["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-show-encoding"],
                             input="v_cndmask_b32_e32 v0, v1, v2, vcc_lo\n", capture_output=True, text=True,
                             check=True).stdout  # fmt: skip
    encoding = re.search(r"encoding: \[(.*)\]", select)[1]
    run = lambda *options: good("disasm", "--mcpu=gfx1100", "--lines", *options, "-", stdin=encoding + "\n").stdout  # noqa: E731
    assert run() == "v_cndmask_b32_e32 v0, v1, v2, vcc_lo\n"
    assert run("--mattr=+wavefrontsize64") == "v_cndmask_b32_e32 v0, v1, v2, vcc\n"
    assert run("--mattr=-wavefrontsize32") == "v_cndmask_b32_e32 v0, v1, v2, vcc\n"
    assert run("--mattr=+wavefrontsize32,-real-true16") == run()


@pytest.mark.parametrize(
    "options,parts",
    [
        (["--lines", "-"], ["--mcpu"]),
        (["--lines", "--mcpu=gfx9", "-"], ["gfx9", "gfx90a"]),
        (["--mcpu=gfx1100", "--mattr=+frob", "-"], ["frob", "wavefrontsize64"]),
        (["--mcpu=gfx1100", "--mattr=frob", "-"], ["frob"]),
        (["--mcpu=gfx942", "--mattr=+wavefrontsize32", "-"], ["gfx942", "64"]),
        (["-"], ["--mcpu"]),
        (["/nowhere/x"], ["/nowhere/x"]),
        (["--mcpu=gfx1201", kernel("vector_add")], ["gfx1100", "gfx1201"]),
        (["--kernel=nonsense", kernel("vector_add")], ["nonsense", "vector_add"]),
    ],
)
def test_refusals(options, parts):
    refused(lockstep("disasm", *options, stdin=MOV), *parts)


def test_truncated_code_objects_never_crash(tmp_path):
    whole = kernel("vector_add").read_bytes()
    cut = tmp_path / "cut.co"
    for length in [1, 4, 16, 63, 64, 65, *range(100, len(whole), 397)]:
        cut.write_bytes(whole[:length])
        done = lockstep("disasm", cut)
        assert done.returncode in (0, 2), f"{length}: {done.returncode} {done.stderr}"
        assert done.returncode == 0 or "cut.co" in done.stderr

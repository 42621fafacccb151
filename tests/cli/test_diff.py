# SPDX-License-Identifier: MIT
"""`lockstep diff`: rows, programs with declared inputs, the mock as the device, packs and mistakes."""

import gzip
import json

import pytest

from conftest import LOCKSTEP, ROOT, good, lockstep, refused

SAMPLE = ROOT / "tests" / "data" / "sample_gfx1100.pack"
ADD = """
; the last value repeats from the first
;@ target = gfx1100
;@ wave = 32
;@ v1 = 1.0, 2.0, inf, nan
;@ v2 = 0.5
;@ exec = 0xff
v_add_f32_e32 v3, v1, v2
s_add_u32 s4, s5, 7
"""


def diff(*arguments, **options):
    return lockstep("diff", *arguments, **options)


def lines_of(pack):
    return gzip.decompress(pack.read_bytes()).decode().splitlines()


def write_pack(path, lines):
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    return path


def no_jit():
    """A host for which the JIT has no code has only the interpreter."""
    return "interp" if diff("--mcpu=gfx1100", "--match=v_add_f32", "--quiet").returncode == 2 else "jit"


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"])
def test_rows_are_equal(target):
    done = good("diff", f"--mcpu={target}", "--match=v_*_f32", "--count=2", "--per-form=1", f"--against={no_jit()}",
                "--json")  # fmt: skip
    result = json.loads(done.stdout)
    assert result["equal"] and result["findings"] == [] and result["programs"] > 50


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1100", "gfx1201"])
def test_the_device_path_runs_on_the_mock(target):
    """Everything but the card itself: the runtime, AQL, the capture kernel, every kind of row."""
    match = "v_add_*,s_*_b64,global_*_b*,global_*dword*,ds_*_b64,v_mfma_f32_16x16x16*,v_wmma_f32*"
    done = good("run", "--quiet", f"--device={target}", "--", LOCKSTEP, "diff", "--device", f"--match={match}",
                "--count=3", "--per-form=1", "--json")  # fmt: skip
    result = json.loads(done.stdout)
    assert result["equal"] and result["programs"] > 100
    assert f"device {target}" in result["b"]


def test_a_program_with_declared_inputs(tmp_path):
    program = tmp_path / "add.s"
    program.write_text(ADD)
    done = good("diff", program, f"--against={no_jit()}", "--json")
    assert json.loads(done.stdout)["waves"] == 1
    done = good("run", "--quiet", "--device=gfx1100", "--", LOCKSTEP, "diff", program, "--device", "--json")
    assert json.loads(done.stdout)["equal"]
    kernel = good("diff", program, "--show-kernel").stdout
    assert ".amdhsa_kernel capture" in kernel and "v_add_f32_e32 v3, v1, v2" in kernel


def test_there_is_no_card_here():
    for arguments in (["--device"], ["--device", "--mcpu=gfx1100"], ["--backend=device", "--mcpu=gfx1100"]):
        refused(diff(*arguments, "--match=v_add_f32"), "/dev/kfd", "lockstep run")


def test_the_device_is_another_target():
    done = lockstep("run", "--quiet", "--device=gfx1100", "--", LOCKSTEP, "diff", "--device", "--mcpu=gfx1201",
                    "--match=v_add_f32")  # fmt: skip
    refused(done, "gfx1201", "gfx1100")
    done = lockstep("run", "--quiet", "--device=gfx1100", "--", LOCKSTEP, "diff", "--device", "--gpu=5")
    refused(done, "GPU 5")


def test_record_and_replay(tmp_path):
    pack = tmp_path / "a.pack"
    done = good("run", "--quiet", "--device=gfx1201", "--", LOCKSTEP, "diff", "--device", "--match=v_fma_f*",
                f"--record={pack}", "--count=4")  # fmt: skip
    assert "all equal" in done.stdout
    header, *programs, end = map(json.loads, lines_of(pack))
    assert header["lockstep_pack"] == 1 and header["target"] == "gfx1201"
    assert "gfx1201" in header["recorded_on"] and header["facts"]["kernel"].startswith("Linux")
    assert end == {"end": len(programs)}
    for backend in ("interp", no_jit()):
        assert "all equal" in good("diff", f"--against={pack}", f"--backend={backend}").stdout


def test_the_sample_pack_is_replayed():
    """Recorded from the interpreter, as its header says: what it held then holds today."""
    header = json.loads(lines_of(SAMPLE)[0])
    assert header["recorded_on"] == "interp"
    result = json.loads(good("diff", f"--against={SAMPLE}", "--backend=interp", "--json").stdout)
    assert result["equal"] and result["programs"] >= 20


def tampered(tmp_path):
    """A pack whose first program has one bit of one result changed."""
    lines = lines_of(SAMPLE)
    program = json.loads(lines[1])
    word, digits = program["waves"][0]["out"].split(" ")[0].split(":")
    program["waves"][0]["out"] = f"{word}:{int(digits[:8], 16) ^ 1:08x}"
    lines[1] = json.dumps(program)
    return write_pack(tmp_path / "tampered.pack", lines), program


def test_a_difference_is_status_1_and_comes_with_a_file(tmp_path):
    pack, program = tampered(tmp_path)
    done = diff(f"--against={pack}", "--backend=interp", "--json")
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["instruction"] == program["text"].strip()
    assert finding["differences"]
    reproducer = tmp_path / "again.s"
    reproducer.write_text(finding["reproducer"])
    good("diff", reproducer, f"--against={no_jit()}")
    folder = tmp_path / "out"
    done = diff(f"--against={pack}", "--backend=interp", f"--save={folder}")
    assert done.returncode == 1 and "DIFFERENT" in done.stdout
    assert [f.read_text() for f in folder.iterdir()] == [finding["reproducer"]]


def test_damaged_packs_are_named(tmp_path):
    def replay(lines, *parts):
        refused(diff(f"--against={write_pack(tmp_path / 'bad.pack', lines)}", "--backend=interp"), "bad.pack", *parts)

    lines = lines_of(SAMPLE)
    header, first = json.loads(lines[0]), json.loads(lines[1])
    replay(["{}"], "no pack")
    replay(["what"], "no pack")
    replay([json.dumps(header | {"lockstep_pack": 99})], "version 99")
    replay([json.dumps(header | {"target": "gfx1"})], "gfx1")
    replay([json.dumps(header | {"facts": 3})], "line 1")
    replay(lines[:1], "cut off")
    replay(lines[:-1], "cut off")
    replay(lines[:2] + lines[-1:], "counts")
    replay([lines[0], "[1, 2"], "line 2")
    for key in first:
        if key != "text":
            replay([lines[0], json.dumps({k: v for k, v in first.items() if k != key})], "line 2", key)
    for change in ({"wave": 48}, {"vgprs": 1 << 30}, {"vgprs": -8}, {"lds": 3}, {"code": "12"}, {"code": "zz" * 4},
                   {"waves": []}, {"waves": [{}] * 100}, {"waves": 7}, {"slot": 1000}, {"name": 5}):  # fmt: skip
        replay([lines[0], json.dumps(first | change)], "line 2")
    for state in ("x", "5", "5:123", "99999999:00000000", "5:0000000g", ":00000000", "5:", "-1:00000000",
                  "18446744073709551615:0000000000000000"):  # fmt: skip
        replay([lines[0], json.dumps(first | {"waves": [{"in": state, "out": ""}]})], "line 2")
    whole = SAMPLE.read_bytes()
    for size in (0, 1, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.pack").write_bytes(whole[:size])
        refused(diff(f"--against={tmp_path / 'cut.pack'}", "--backend=interp"), "cut.pack")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0x10
    (tmp_path / "flipped.pack").write_bytes(flipped)
    assert diff(f"--against={tmp_path / 'flipped.pack'}", "--backend=interp").returncode == 2


def test_mistakes_are_named(tmp_path):
    refused(diff("--mcpu=gfx1100", "--match=zz*"), "zz*", "gfx1100")
    refused(diff("--mcpu=gfx1100", "--match="), "--match")
    refused(diff("--mcpu=gfx1100", "--match=s_branch"), "flow of control")
    refused(diff("--mcpu=gfx9"), "gfx9")
    refused(diff(), "--mcpu")
    refused(diff("--mcpu=gfx90a", "--wave=32"), "gfx90a", "64")
    refused(diff("--mcpu=gfx1100", "--count=0"), "0 inputs")
    refused(diff("--mcpu=gfx1100", "--count=1000"), "1000 inputs")
    refused(diff("--mcpu=gfx1100", "--max-findings=0"), "--max-findings")
    refused(diff("--mcpu=gfx1100", "--backend=fpga"), "fpga", "interp")
    refused(diff("--mcpu=gfx1100", "--against=nothing.pack"), "nothing.pack")
    refused(diff(f"--against={SAMPLE}", "--mcpu=gfx1201"), "gfx1100", "gfx1201")
    refused(diff(f"--against={SAMPLE}", "--match=v_add*"), "pack")
    refused(diff(f"--against={SAMPLE}", f"--record={tmp_path / 'x'}"), "--record")
    refused(diff("--device", "--against=jit"), "--device")
    refused(diff("--mcpu=gfx1100", "--match=v_add_f32", f"--record={tmp_path}/no/such/x.pack"), "x.pack")
    refused(diff(tmp_path / "none.s"), "none.s")
    bad = tmp_path / "bad.s"
    for text, part in ((";@ target = gfx1100\nfrobnicate v0", "bad.s:2"), ("s_nop 0", "--mcpu"),
                       (";@ target = gfx1100\n;@ v0 = ?\ns_nop 0", "line 2"),
                       (";@ target = gfx1100\ns_endpgm", "s_endpgm"), ("\0\1\2", "bad.s")):  # fmt: skip
        bad.write_text(text)
        refused(diff(bad), part)


def test_rows_that_are_left_out_say_why():
    listed = good("diff", "--mcpu=gfx1100", "--list").stdout.splitlines()
    rows = [line for line in listed if not line.startswith("#")]
    out = [line for line in listed if line.startswith("#")]
    assert len(rows) > 900 and "v_add_f32" in rows
    assert all(": " in line for line in out)
    assert any(line.startswith("# s_branch: ") for line in out)

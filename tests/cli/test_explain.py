# SPDX-License-Identifier: MIT
"""Instructions as data: `disasm --explain`, `disasm --json`, and the rows of a target."""

import json
import re

from conftest import good, kernel

FMA = "010013d602060e04"  # v_fma_f32 v1, s2, v3, v3


def test_explain_line():
    text = good("disasm", "--mcpu=gfx1100", "--lines", "--explain", "-", stdin=FMA + "\n").stdout
    assert text.startswith("v_fma_f32 v1, s2, v3, v3\n")
    assert re.search(r"^ +format VOP3, 8 bytes; vector-alu$", text, re.M)
    assert re.search(r"\[31:26\] +encoding +0x35 +VOP3 format", text)
    assert re.search(r"\[25:16\] +op +0x213 +opcode: v_fma_f32", text)
    assert re.search(r"\[7:0\] +vdst +0x1 +result: v1", text)
    assert re.search(r"\[40:32\] +src0 +0x2 +source 0: s2", text)
    assert re.search(r"^ +v1 +vgpr +write +dst x1 F32 32 bits$", text, re.M)
    assert re.search(r"^ +exec +state +read +implicit$", text, re.M)


def test_explain_of_raw_bytes_and_objects():
    raw = good("disasm", "--mcpu=gfx1100", "--explain", "-", stdin=f"{FMA} 0000b0bf\n").stdout
    assert raw.count("operands\n") == 2
    text = good("disasm", "--explain", kernel("vector_add")).stdout
    assert text.count("operands\n") > 10


def test_errors_have_no_fields():
    text = good("disasm", "--mcpu=gfx1100", "--lines", "--explain", "-", stdin="efbeadde\n").stdout
    assert text.startswith("error: ") and text.count("\n") == 1


def test_json_operands():
    line = good("disasm", "--mcpu=gfx1100", "--lines", "--json", "-", stdin=FMA + "\n").stdout
    out = json.loads(line)
    assert out["mnemonic"] == "v_fma_f32" and out["format"] == "VOP3" and out["size"] == 8
    first = out["operands"][0]
    assert first == {"text": "v1", "kind": "vgpr", "register": 1, "count": 1, "bits": 32, "type": "F32",
                     "access": "write", "implicit": False, "role": "dst"}  # fmt: skip
    assert [o["text"] for o in out["operands"] if o["implicit"]] == ["exec", "mode"]
    assert "fields" not in out
    with_fields = good("disasm", "--mcpu=gfx1100", "--lines", "--json", "--explain", "-", stdin=FMA + "\n").stdout
    fields = json.loads(with_fields)["fields"]
    assert sum(f["width"] for f in fields) <= 64 and fields[0]["low"] == 0


def test_json_of_objects_has_operands_and_targets():
    out = json.loads(good("disasm", kernel("reduction"), "--json").stdout)
    instructions = out["functions"][0]["instructions"]
    assert all("operands" in i for i in instructions if "error" not in i)
    addresses = {i["address"] for i in instructions}
    branches = [i for i in instructions if "branch" in i["groups"] and i["mnemonic"].startswith("s_cbranch")]
    assert branches and all(b["target"] in addresses for b in branches)


def test_rows_of_a_target():
    out = json.loads(good("isa", "--mcpu=gfx942", "--json").stdout)
    assert out["instructions"] == len(out["rows"]) > 900
    row = next(r for r in out["rows"] if r["name"] == "v_fma_f32")
    assert row["format"] == "VOP3" and row["opcode"] == 0x1CB and row["executed"] is True
    assert [o["type"] for o in row["operands"]["sources"]] == ["F32"] * 3
    assert next(r for r in out["rows"] if r["name"] == "v_add_f32")["forms"] == ["VOP2", "VOP3"]
    for row in out["rows"]:
        assert row["executed"] or row["excluded"], row


def test_coverage_adds_up():
    out = json.loads(good("isa", "--coverage", "--json").stdout)
    assert sum(len(entry["targets"]) for entry in out) == 11
    for entry in out:
        excluded = sum(len(e["instructions"]) for e in entry["excluded"])
        assert entry["executed"] + excluded == entry["instructions"]
        assert all(e["reason"] for e in entry["excluded"])

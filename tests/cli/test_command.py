# SPDX-License-Identifier: MIT
"""The command as a whole: help, version, refusals, isa and doctor."""

import json
import re

import pytest

from conftest import good, lockstep, refused

SUBCOMMANDS = ["run", "exec", "asm", "disasm", "isa", "doctor"]


def test_version():
    assert re.fullmatch(r"lockstep \d+\.\d+\.\d+\n", good("--version").stdout)


def test_help_names_every_subcommand():
    text = good("--help").stdout
    for name in SUBCOMMANDS:
        assert re.search(rf"^ +{name} +\w", text, re.M)
        assert "--json" in good(name, "--help").stdout


def test_no_arguments_shows_help_and_fails():
    refused(lockstep(), "Subcommands")


@pytest.mark.parametrize("sub", SUBCOMMANDS)
def test_unknown_options_are_named(sub):
    refused(lockstep(sub, "--frobnicate"), f"lockstep {sub}", "--frobnicate")


def test_unknown_subcommand_is_named():
    refused(lockstep("frobnicate"), "frobnicate", "exec")
    refused(lockstep("--frobnicate"), "--frobnicate")


def test_isa_lists_rows():
    isa = json.loads(good("isa", "--mcpu=gfx1100", "--json").stdout)
    rows = {row["name"]: row for row in isa["rows"]}
    expected = {"name": "v_add_f32", "row": "v_add_f32", "format": "VOP2", "opcode": 3, "forms": ["VOP2", "VOP3"],
                "executed": True}  # fmt: skip
    assert rows["v_add_f32"].items() >= expected.items()
    assert rows["s_endpgm"]["executed"]
    assert isa["instructions"] == len(isa["rows"])
    assert isa["executed"] == sum(row["executed"] for row in isa["rows"])
    text = good("isa", "--mcpu=gfx1100").stdout
    assert text.endswith(f"{isa['instructions']} instructions, {isa['executed']} executed\n")
    names = good("isa", "--mcpu=gfx1100", "--match=wmma").stdout.splitlines()[:-1]
    assert len(names) == 6 and all(name.startswith("v_wmma_") for name in names)


def test_isa_coverage_agrees_with_rows():
    entries = json.loads(good("isa", "--coverage", "--json").stdout)
    assert sum(len(entry["targets"]) for entry in entries) == 11
    for entry in entries:
        rows = json.loads(good("isa", f"--mcpu={entry['targets'][0]}", "--json").stdout)
        assert rows["instructions"] == entry["instructions"]
        assert rows["executed"] == entry["executed"]
        assert sum(f["instructions"] for f in entry["formats"].values()) == entry["instructions"]


def test_isa_refuses():
    refused(lockstep("isa", "--mcpu=gfx999"), "gfx999", "gfx1100")
    refused(lockstep("isa"), "--mcpu")


def test_doctor():
    done = lockstep("doctor", "--json")
    report = json.loads(done.stdout)
    checks = {check["topic"]: check for check in report["checks"]}
    assert checks["driver"]["health"] == "ok", checks["driver"]
    assert "found the emulated card" in checks["driver"]["found"]
    assert {"processor", "memory", "LLVM", "Python", "real GPU"} <= set(checks)
    assert report["problems"] == sum(c["health"] == "problem" for c in report["checks"])
    assert done.returncode == (1 if report["problems"] else 0)
    text = lockstep("doctor").stdout
    for topic in checks:
        assert topic in text


def test_doctor_finds_a_bad_setting():
    done = lockstep("doctor", "--json", env={"LOCKSTEP_DEVICE": "gfx999"})
    assert done.returncode == 1
    settings = [c for c in json.loads(done.stdout)["checks"] if c["topic"] == "settings"]
    assert settings[0]["health"] == "problem" and "gfx999" in settings[0]["found"]
    assert settings[0]["mend"]


def test_doctor_finds_a_bad_llvm_path():
    done = lockstep("doctor", "--json", env={"LLVM_PATH": "/nowhere/libLLVM.so"})
    llvm = [c for c in json.loads(done.stdout)["checks"] if c["topic"] == "LLVM"]
    assert llvm[0]["health"] == "warning" and "/nowhere" in llvm[0]["found"]
    assert "LLVM_PATH=" in llvm[0]["mend"]

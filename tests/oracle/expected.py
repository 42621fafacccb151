# SPDX-License-Identifier: MIT
"""What the pseudocode says that a row leaves behind, case by case."""

import csv
import json
import pathlib

from evaluate import Machine
from machine import SCALAR, TARGETS, width_of
from typed_numbers import Unevaluable, Value


def texts_of(facts, arch):
    return json.loads((pathlib.Path(facts) / f"{arch}.pseudocode.json").read_text())


def amd_names(facts, arch):
    """Printed name -> the name that the texts use."""
    out = {}
    with open(pathlib.Path(facts) / "names.tsv", encoding="utf-8") as file:
        for line in csv.reader(file, delimiter="\t"):
            if line[0] == arch and line[1] == TARGETS[arch]:
                out.setdefault(line[6], line[5])
    return out


def evaluate(texts, row, name, cases, masks, wave32):
    """Lists of (result, mask or SCC, EXEC) and the mask that the wave leaves in VCC."""
    scalar = row["format"] in SCALAR
    out, vcc, execute = [], masks["vcc"], masks["exec"]
    results = row["operands"]["results"]
    compare = row["format"] == "VOPC"
    # On gfx9, the only family without wave32 here, v_cmpx also writes the mask that v_cmp writes.
    writes_vcc = any(o["type"] == "MASK" for o in results) or compare and not wave32
    new_vcc = 0 if writes_vcc else vcc
    new_exec = execute
    if any(o["type"] == "EXEC_MASK" for o in results):
        new_exec = 0
    # A text may test 64 bits of a 32-bit result.
    old_bits = (1 << 32) - 1 if scalar and result_width(row)[0] == 32 else (1 << 64) - 1
    for lane, case in enumerate(cases):
        if not scalar and not execute >> lane & 1:
            out.append((case["d"], 0, 0))
            continue
        state = {
            "D0": Value(0 if compare else case["d"] & old_bits, 64, "b"),
            "D1": Value(0, 64, "b"),
            "SCC": Value(case["scc"], 1, "u"),
            "VCC": Value(vcc, 64, "u"),
            "EXEC": Value(execute, 64, "u"),
            "IEEE": Value(1, 1, "u"),
            "NEG": Value(0, 3, "u"),
            "OPSEL": Value(0, 4, "u"),
            "OPSEL_HI": Value(0, 3, "u"),
        }
        for i, bits in enumerate(case["s"]):
            state[f"S{i}"] = Value(bits, 64, "b")
        if len(row["operands"]["sources"]) == 2:  # the old result is the third source of v_fmac
            state["S2"] = state["D0"]
        machine = Machine(texts, state, 0 if scalar else lane, wave32)
        machine.run(name)
        value = machine.state["D0"].bits
        if scalar:
            out.append((value, machine.state["SCC"].bits & 1, machine.state["EXEC"].bits))
            continue
        if compare and writes_vcc:
            new_vcc |= (value >> lane & 1) << lane
        elif results and results[-1]["type"] == "MASK":
            carry = machine.state["VCC"].bits >> lane
            if row["format"] == "VOP3SD" and len(row["operands"]["sources"]) == 3:
                carry = machine.state["D1"].bits
            new_vcc |= (carry & 1) << lane
        if any(o["type"] == "EXEC_MASK" for o in results):
            new_exec |= (machine.state["EXEC"].bits >> lane & 1) << lane
        out.append((value, 0, 0))
    return out, new_vcc, new_exec


def result_width(row):
    results = [o for o in row["operands"]["results"] if "MASK" not in o["type"]]
    return (width_of(results[0]), results[0]["type"]) if results else (0, "")


__all__ = ["Unevaluable", "amd_names", "evaluate", "result_width", "texts_of"]

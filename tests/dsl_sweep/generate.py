#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes C++ that builds one of LLVM's test instructions for every row of a target, as calls of the DSL.

generate.py LOCKSTEP VECTORS TARGET PARTS OUT_PREFIX: files OUT_PREFIX_0.cpp .. with a function each, and OUT_PREFIX_main.cpp.
"""

import gzip
import json
import pathlib
import re
import subprocess
import sys

NAMES = set(
    "vcc vcc_lo vcc_hi exec exec_lo exec_hi m0 null off src_scc src_vccz src_execz src_shared_base src_shared_limit "
    "src_private_base src_private_limit flat_scratch flat_scratch_lo flat_scratch_hi xnack_mask xnack_mask_lo xnack_mask_hi".split()
)
SUFFIXES = (("_e64_dpp", None), ("_e64", ".e64()"), ("_e32", ".e32()"), ("_sdwa", ".sdwa()"), ("_dpp", ""))
OPENS_TEXT = re.compile(r"(vmcnt|expcnt|lgkmcnt|instid0|instid1|depctr_|sendmsg)")
LEAST_ROWS = 900


def vectors(path, target):
    for line in gzip.open(path, "rt"):
        if line[0] != "#":
            targets, wave, code, text = line.rstrip("\n").split(" ", 3)
            if target in targets.split(",") and wave != ("64" if target.startswith("gfx1") else "32"):
                yield code, text


def split(text):
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


def operand(text):
    if text in NAMES or re.fullmatch(r"-?\d+(\.\d*)?", text):
        return text
    if re.fullmatch(r"-?0x[0-9a-f]+", text):
        return text if text[0] == "-" else text + "u"
    if m := re.fullmatch(r"(v|s|a|ttmp)(\d+)", text):
        return f"{m[1]}[{m[2]}]"
    if m := re.fullmatch(r"(v|s|a|ttmp)\[(\d+):(\d+)\]", text):
        return f"{m[1]}({m[2]}, {m[3]})"
    for pattern, call in ((r"-(\|.*\||[vsaemtfx].*)", "-{}"), (r"\|(.*)\|", "abs({})"), (r"sext\((.*)\)", "sext({})")):
        if m := re.fullmatch(pattern, text):
            return call.format(operand(m[1]))
    if m := re.fullmatch(r"\[(.*)\]", text):
        return "{" + ", ".join(operand(x) for x in split(m[1])) + "}"
    if m := re.fullmatch(r"attr(\d+)\.(.)", text):
        return f"Attribute{{{m[1]}, '{m[2]}'}}"
    return f'symbol("{text}")'


def call(row, text):
    """The call, or None for what has no regular form."""
    mnemonic, _, rest = text.partition(" ")
    if "::" in text or row == "exp" or text.startswith("s_endpgm ") or "neg(" in text or re.search(r"\|-?[0-9]", text) or " lds" in text:
        return None
    tail = ""
    for suffix, method in SUFFIXES:
        if mnemonic.endswith(suffix):
            if method is None:
                return None
            tail = method
            break
    if OPENS_TEXT.match(rest):
        return f'p.{row}(symbol("{rest}"));'
    parts, modifiers = split(rest), []
    if parts:
        m = re.match(r"(\[[^\]]*\]|[^ (]+(?:\([^)]*\))?)(.*)$", parts[-1])
        if not m:
            return None
        parts[-1], modifiers = m[1], m[2].split()
    if len(parts) == 1 and re.match(r"[a-z_0-9]+:|gds$|glc$", parts[0]):
        modifiers, parts = parts + modifiers, []
    tail += "".join(f'.with("{m}")' for m in modifiers)
    return f"p.{row}({', '.join(operand(p) for p in parts)}){tail};"


def lines(lockstep, arguments, text):
    return subprocess.run([lockstep, *arguments, "--lines", "-"], input=text, capture_output=True, text=True,
                          check=True).stdout.splitlines()  # fmt: skip


def write(path, inside, behind):
    """A file that stays as it is is not compiled again."""
    text = f'#include "tests/dsl_sweep/sweep.h"\n\nnamespace sweep {{\n{inside}}}  // namespace sweep\n{behind}'
    file = pathlib.Path(path)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def main():
    lockstep, path, target, parts, prefix = sys.argv[1:]
    parts = int(parts)
    list_ = list(vectors(path, target))
    decoded = lines(lockstep, ["disasm", f"--mcpu={target}", "--json"], "\n".join(c for c, _ in list_) + "\n")
    again = lines(lockstep, ["asm", f"--mcpu={target}"], "\n".join(t for _, t in list_) + "\n")
    chosen = {}
    for (code, text), line, bytes_ in zip(list_, decoded, again):
        info = json.loads(line)
        if "row" not in info or bytes_ != code or any(o.get("type") == "LABEL" for o in info["operands"]):
            continue
        key = info["row"], info["format"], info.get("suffix") in ("dpp16", "dpp8", "sdwa")
        if key not in chosen and (made := call(info["row"], text)):
            chosen[key] = code, text, made
    rows = {key[0] for key in chosen}
    if len(rows) < LEAST_ROWS:
        sys.exit(f"{target}: only {len(rows)} rows have a call")
    items = list(chosen.values())
    for part in range(parts):
        calls = [
            f'  {{ Program p(Target::kG{target[1:]}); {made} check(p, "{code}", R"({text})"); }}\n'
            for code, text, made in items[part::parts]
        ]
        write(f"{prefix}_{part}.cpp", f"void part_{part}() {{\n" + "".join(calls) + "}\n", "")
    write(
        f"{prefix}_main.cpp",
        "".join(f"void part_{part}();\n" for part in range(parts)),
        "int main() {\n"
        + "".join(f"  sweep::part_{part}();\n" for part in range(parts))
        + f'  std::printf("{target}: {len(rows)} rows, %d calls right, %d wrong\\n", sweep::good, sweep::bad);\n'
        + f"  return sweep::bad != 0 || sweep::good != {len(items)};\n}}\n",
    )


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills the blocks of README.md between `<!-- run: NAME -->` and `<!-- end -->` with real output of the build in build/.

--check only compares which blocks exist. A command whose exit status is not the expected one stops the update.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"(<!-- run: (\w+) -->\n```\n).*?(```\n<!-- end -->)", re.S)
COMPILE = "clang-22 -x cl -target amdgcn-amd-amdhsa -mcpu=gfx1100 -O2 -nogpulib -w "
RUN_ADD = ("lockstep exec {tmp}add.co --kernel=vector_add --grid=4 --block=256 "
           "--arg iota:f32:1000 --arg rand:f32:1000:1 --arg out:f32:1000 --arg i32:")

# Block -> commands as a reader types them, each with the exit status it must have. `lockstep` is build/bin/lockstep;
# {tmp} is a scratch folder that the printed text leaves out.
BLOCKS = {
    "demo": [("tools/demo.sh", 0)],
    "exec": [(COMPILE + "tests/kernels/vector_add.cl -o {tmp}add.co", 0), (RUN_ADD + "1000", 0)],
    "disasm": [("lockstep disasm {tmp}add.co | sed -n '/^vector_add:/,+14p'", 0),
               ("echo 02ff028bffff0000 | lockstep disasm --mcpu=gfx1100 --lines -", 0)],
    "fault": [(RUN_ADD + "1024", 1)],
    "targets": [("lockstep isa --coverage", 0)],
    "clients": [("tools/client_table.py", 0)],
    "doctor": [("lockstep doctor", 0)],
}
SILENT = {"demo"}  # blocks that show no command line: the text around them names it


def run(command, expected, tmp):
    real = command.replace("{tmp}", f"{tmp}/")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", f'PATH="{ROOT}/build/bin:{ROOT}/.venv/bin:$PATH"\n{real}'], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800)
    if done.returncode != expected:
        sys.exit(f"update_readme: exit status {done.returncode}, expected {expected}: {command}\n{done.stdout}")
    return done.stdout.replace(f"{tmp}/", "").replace(f"{ROOT}/", "")


def block_text(name, tmp):
    text = ""
    for command, expected in BLOCKS[name]:
        if name not in SILENT:
            text += "$ " + command.replace("{tmp}", "") + "\n"
        output = run(command, expected, tmp)
        text += "".join(line.rstrip() + "\n" for line in output.rstrip().splitlines())
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only check that README and this script name the same blocks")
    arguments = parser.parse_args()
    readme = README.read_text()
    names = [match[1] for match in BLOCK.findall(readme)]
    if sorted(names) != sorted(BLOCKS):
        sys.exit(f"update_readme: README has the blocks {names}, this script knows {list(BLOCKS)}")
    if arguments.check:
        empty = [name for name, text in re.findall(r"<!-- run: (\w+) -->\n```\n(.*?)```", readme, re.S) if not text]
        sys.exit(f"update_readme: empty blocks {empty}; run make readme" if empty else 0)
    with tempfile.TemporaryDirectory() as tmp:
        texts = {name: block_text(name, tmp) for name in BLOCKS}
    README.write_text(BLOCK.sub(lambda match: match[1] + texts[match[2]] + match[3], readme))
    print(f"{README.name}: {len(texts)} blocks filled")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""The style check finds what it is there for: each breach is planted in a small tree and must be reported."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parent.parent / "check_includes.py"
SPDX = "// SPDX-License-Identifier: MIT\n"
CLEAN = {
    "isa/target.h": SPDX + "#include <cstdint>\n",
    "loader/elf.h": SPDX + '#include "isa/target.h"\n',
    "emu/wave.cpp": SPDX + '#include "isa/target.h"\n#include "loader/elf.h"\n',
    "runtime/kfd.cpp": SPDX + '#include "loader/elf.h"\n',
    "tests/emu/wave_test.cpp": SPDX + '#include "isa/target.h"\n',
}


def run(tmp_path, files):
    for name, text in {**CLEAN, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    return done.returncode, done.stdout


def test_clean_tree_passes(tmp_path):
    status, output = run(tmp_path, {})
    assert status == 0, output
    assert "5 files checked, 0 breaches" in output


BREACHES = {
    "upward": ("isa/a.h", SPDX + '#include "emu/wave.cpp"\n', "isa/a.h:2: .*isa may include only isa"),
    "asm beside loader": ("asm/a.h", SPDX + '#include "loader/elf.h"\n', "asm/a.h:2:"),
    "runtime uses emu": ("runtime/b.cpp", SPDX + '#include "emu/wave.cpp"\n', "runtime/b.cpp:2:"),
    "relative": ("emu/a.cpp", SPDX + '#include "wave.h"\n', "paths start at"),
    "indented": ("isa/a.h", SPDX + '#if 1\n#  include "loader/elf.h"\n#endif\n', "isa/a.h:3:"),
    "angle brackets": ("isa/a.h", SPDX + "#include <loader/elf.h>\n", "with quotes"),
    "missing file": ("emu/a.cpp", SPDX + '#include "isa/gone.h"\n', "no such file"),
    "unknown target folder": ("emu/a.cpp", SPDX + '#include "extra/a.h"\n', "paths start at"),
    "unknown own folder": ("extra/a.cpp", SPDX + '#include "isa/target.h"\n', "folder extra/"),
    "row table": ("isa/ops/a.def", SPDX + '#include "emu/wave.cpp"\n', "isa/ops/a.def:2:"),
    "no SPDX": ("emu/a.cpp", "int a;\n", "SPDX"),
    "no SPDX in a script": ("tools/a", "#!/bin/sh\n", "SPDX"),
    "too long": ("emu/a.cpp", SPDX + "\n" * 500, "501 lines"),
    "left-over word": ("emu/a.cpp", SPDX + "// TO" "DO later\n", "emu/a.cpp:2: the word"),
    "left-over word in docs": ("docs/a.md", "a\n\nFIX" "ME\n", "docs/a.md:3: the word"),
    "machine path": ("docs/a.md", "see /ho" "me/me/notes\n", "docs/a.md:1: a path"),
}


@pytest.mark.parametrize("case", BREACHES)
def test_breach_is_found(tmp_path, case):
    name, text, expected = BREACHES[case]
    status, output = run(tmp_path, {name: text})
    assert status == 1
    assert re.search(expected, output), output
    assert "1 breaches" in output, "only the planted breach: " + output


def test_long_row_table_is_allowed(tmp_path):
    status, output = run(tmp_path, {"isa/ops/vop3.def": SPDX + "\n" * 2000})
    assert status == 0, output


def test_empty_tree_is_no_success(tmp_path):
    done = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    assert done.returncode == 1

# SPDX-License-Identifier: MIT
"""Single directives: what `lockstep asm -c` writes is what llvm-mc writes, and what it refuses too.

Snippets have one line each in tests/data/directives.txt: " ~ " stands for a new line. A snippet that both refuse is
under [refused]; the line of the first error must be the same unless the snippet is under [refused elsewhere].
"""

import pathlib
import shutil
import subprocess

import pytest
from conftest import LOCKSTEP
from elf import Elf

DATA = pathlib.Path(__file__).parents[1] / "data" / "directives.txt"
MC = shutil.which("llvm-mc-22")
pytestmark = pytest.mark.skipif(MC is None, reason="llvm-mc-22 is not installed (tools/bootstrap.sh test)")


def snippets():
    section = None
    for line in DATA.read_text().splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif line and not line.startswith("##"):
            yield section, line


CASES = list(snippets())


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("directives")

    def run(snippet):
        source = folder / "a.s"
        source.write_text(snippet.replace(" ~ ", "\n") + "\n")
        outputs = folder / "ours.o", folder / "theirs.o"
        for path in outputs:
            path.unlink(missing_ok=True)
        ours = subprocess.run(
            [LOCKSTEP, "asm", "-c", "--mcpu=gfx1100", source, "-o", outputs[0]], capture_output=True, text=True, timeout=60
        )
        theirs = subprocess.run(
            [MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-filetype=obj", source, "-o", outputs[1]],
            capture_output=True,
            text=True,
            timeout=60,
        )
        return ours, theirs, outputs

    return run


def first_error_line(process):
    for line in process.stderr.splitlines():
        parts = line.split(":")
        if " error" in parts and parts[1].isdigit():
            return int(parts[1])
    return None


@pytest.mark.parametrize("snippet", [s for section, s in CASES if section == "assembled"])
def test_bytes_symbols_and_relocations(both, snippet):
    ours, theirs, outputs = both(snippet)
    assert theirs.returncode == 0, theirs.stderr
    assert ours.returncode == 0, ours.stderr
    a, b = map(Elf, map(str, outputs))
    assert a.sections() == b.sections()
    assert a.relocations() == b.relocations()
    assert sorted(map(str, a.symbols(".symtab"))) == sorted(map(str, b.symbols(".symtab")))


@pytest.mark.parametrize("snippet", [s for section, s in CASES if section.startswith("refused")])
def test_refused(both, snippet):
    ours, theirs, outputs = both(snippet)
    assert theirs.returncode != 0
    assert ours.returncode == 2
    assert not outputs[0].exists()
    assert "error: " in ours.stderr
    if ("refused", snippet) in CASES:
        assert first_error_line(ours) == first_error_line(theirs), ours.stderr + theirs.stderr


@pytest.mark.parametrize("snippet", [s for section, s in CASES if section == "differs"])
def test_stated_differences_still_differ(both, snippet):
    """An entry that no longer differs has to move up."""
    ours, theirs, _ = both(snippet)
    assert ours.returncode == 2 and theirs.returncode == 0

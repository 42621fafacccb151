# SPDX-License-Identifier: MIT
"""llvm-mc and our command as line filters: a list of lines or words in, a list of answers out."""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build")).resolve()
LOCKSTEP = pathlib.Path(os.environ.get("LOCKSTEP_BIN", BUILD / "bin" / "lockstep"))

REFUSED = "error"
# A relocation, operands that llvm-mc itself calls invalid, or it crashed.
UNDECIDED = "undecided"
_ERROR = re.compile(r"^<stdin>:(\d+):\d+: (error|warning): ")
_ENCODING = re.compile(r"encoding: \[([^\]]*)\]")
_LABEL = "lockstep_line_"
_MARK = "[0x5a,0x5a,0x80,0xbf]"
_MARK_TEXT = "s_nop 0x5a5a"
# What every target refuses.
_BAD_LINE = "not_an_instruction"
_BAD_WORD = "[0xff,0xff,0xff,0xff]"
_LOST = 1_000  # more than llvm-mc keeps in the buffer of its output


@dataclasses.dataclass(frozen=True)
class Mode:
    """A target with the settings that change how instructions are read or written."""

    target: str
    wave: int
    true16: bool = False

    @property
    def name(self):
        return f"{self.target}{':true16' if self.true16 else ''}{f':w{self.wave}'}"

    @property
    def versions(self):
        """Of llvm-mc, the one that decides first: 19 knows no gfx950 and not all of true16."""
        return ("22",) if self.true16 or self.target == "gfx950" else ("22", "19")

    def attributes(self, version=None):
        """For llvm-mc of that version, or for us."""
        list_ = []
        if self.target.startswith("gfx1"):
            if self.wave == 64:
                list_.append("+wavefrontsize64")
            if self.true16:
                list_.append("+real-true16")
            elif version == "22" and self.target.startswith("gfx11"):
                list_.append("-real-true16")  # which is its default there
        return [f"-mattr={','.join(list_)}"] if list_ else []


def installed():
    return all(shutil.which(f"llvm-mc-{v}") for v in ("19", "22"))


def _llvm_mc(mode, version, text, *options):
    command = [f"llvm-mc-{version}", "-triple=amdgcn-amd-amdhsa", f"-mcpu={mode.target}"]
    return subprocess.run(
        [*command, *mode.attributes(version), *options],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, "LLVM_DISABLE_SYMBOLIZATION": "1"},
    )


def _past_crashes(batch):
    """Some input crashes llvm-mc. What it printed before counts, that item stays undecided, the rest is asked again."""

    def decorate(run):
        @functools.wraps(run)
        def wrapped(mode, version, items):
            answers = [UNDECIDED] * len(items)
            left = list(range(len(items)))
            while left:
                part = left[:batch]
                got, crashed = run(mode, version, [items[i] for i in part], False)
                for i, answer in zip(part, got):
                    answers[i] = answer
                left = left[len(got) :]
                if crashed:
                    # The end of standard output is lost, errors are not: a run with an error behind each item.
                    got, crashed = run(mode, version, [items[i] for i in left[:_LOST]], True)
                    assert crashed, "llvm-mc crashes with more lines only"
                    left.pop(len(got))
            return answers

        return wrapped

    return decorate


def _errors(stderr):
    """Lines with an error or a warning, from 0."""
    found = (_ERROR.match(line) for line in stderr.split("\n"))
    return [(int(m[1]) - 1, m[2] == "error") for m in found if m]


@_past_crashes(25_000)
def assemble(mode, version, lines, errors_as_marks):
    """Bytes in hex, REFUSED or UNDECIDED for each line."""
    mark = _BAD_LINE if errors_as_marks else ""
    text = "".join(f"{_LABEL}{i}:\n{line}\n{mark}\n" for i, line in enumerate(lines))
    done = _llvm_mc(mode, version, text, "-show-encoding")
    crashed = done.returncode not in (0, 1)
    errors = _errors(done.stderr)
    if errors_as_marks:
        return [None] * sum(at % 3 == 2 for at, _ in errors), crashed
    refused = {at // 3 for at, error in errors if error}
    answers = [""] * len(lines)
    at = 0
    for line in done.stdout.split("\n")[:-1]:
        if line.startswith(_LABEL):
            at = int(line[len(_LABEL) :].rstrip().rstrip(":"))
        elif m := _ENCODING.search(line):
            answers[at] += m[1].replace("0x", "").replace(",", "")
    plain = re.compile("[0-9a-f]+$")
    for i, answer in enumerate(answers):
        if i in refused or not answer:
            answers[i] = REFUSED
        elif not plain.match(answer):
            answers[i] = UNDECIDED
    return answers[:at] if crashed else answers, crashed


@_past_crashes(2_000)  # of words, some in a thousand crash llvm-mc
def disassemble(mode, version, words, errors_as_marks):
    """Text for each word, or REFUSED: also if it is not one instruction that takes all bytes."""
    mark = _BAD_WORD if errors_as_marks else _MARK
    text = "".join(
        f"[{','.join('0x' + w[i : i + 2] for i in range(0, len(w), 2))}]\n{mark}\n" for w in words
    )
    done = _llvm_mc(mode, version, text, "--disassemble")
    crashed = done.returncode not in (0, 1)
    errors = _errors(done.stderr)
    if errors_as_marks:
        return [None] * sum(at % 2 for at, _ in errors), crashed
    refused = {at // 2 for at, _ in errors}
    answers, found = [], []
    for line in done.stdout.split("\n")[:-1]:
        line = " ".join(line.split("; ")[0].split())
        if line == _MARK_TEXT:
            answer = found[0] if len(found) == 1 and len(answers) not in refused else REFUSED
            answers.append(UNDECIDED if "/*Invalid " in answer else answer)
            found = []
        elif line and line[0] != ".":
            found.append(line)
    assert crashed or len(answers) == len(words), "llvm-mc answers each word"
    return answers, crashed


def ours(command, mode, items):
    """What `lockstep asm` or `lockstep disasm` says in lines mode."""
    arguments = [LOCKSTEP, command, f"--mcpu={mode.target}", "--lines"]
    attributes = ["-" + a for a in mode.attributes()]
    done = subprocess.run(
        [*arguments, *attributes, "-"], input="\n".join(items) + "\n", capture_output=True, text=True
    )
    assert done.returncode == 0, f"status {done.returncode}\n{done.stderr}"
    answers = done.stdout.split("\n")[:-1]
    assert len(answers) == len(items), "lines mode answers each line once"
    return [REFUSED if a.startswith("error: ") else a for a in answers]

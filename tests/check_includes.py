#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""House rules that a machine can check: include order, known folders, file length, SPDX line, left-over words, paths.

Usage: check_includes.py [ROOT]. One line a breach, exit 1 if there is any.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

# Folder -> folders of the project whose headers it may include (its own is always allowed).
LAYERS = {
    "isa": set(),
    "asm": {"isa"},
    "loader": {"isa"},
    "emu": {"isa", "asm", "loader"},
    "mockgpu": {"isa", "asm", "loader", "emu"},
    "runtime": {"isa", "loader"},
    "diff": {"isa", "asm", "loader", "emu", "runtime"},
    "cli": {"isa", "asm", "loader", "emu", "mockgpu", "runtime", "diff"},
}
# Users of everything; benchmarks share the support code of tests.
LAYERS["tests"] = set(LAYERS)
LAYERS["bench"] = set(LAYERS)
CPP = {".cpp", ".h", ".hpp", ".c", ".cc", ".def", ".inc"}
CODE = CPP | {".py", ".sh", ".cmake", ".cl"}
MAX_LINES = 500
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
WORDS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}~-])/(?:" + "work|root|home" + r")/\w")


def files_of(root):
    """Tracked files that still exist; every file of the tree where there is no git."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True)
    if git.returncode == 0:
        names = [name.decode() for name in git.stdout.split(b"\0") if name]
    else:
        names = []
        for folder, subfolders, leaves in os.walk(root):
            subfolders[:] = [s for s in subfolders if not s.startswith((".", "build"))]
            names += [os.path.relpath(os.path.join(folder, leaf), root) for leaf in leaves]
    return sorted(name for name in names if (root / name).is_file())


def check_include(root, name, line):
    match = INCLUDE.match(line)
    if not match:
        return None
    bracket, header = match.groups()
    parts = header.split("/")
    folder = Path(name).parts[0]
    if bracket == "<":
        # An angle include reaches our folders too; only a file that is really there counts.
        if parts[0] in LAYERS and (root / header).is_file():
            return f'<{header}> is ours: include it with quotes'
        return None
    if folder not in LAYERS:
        return f"folder {folder}/ has no place in the include order (LAYERS in tests/check_includes.py)"
    if len(parts) < 2 or parts[0] not in LAYERS:
        return f'"{header}": paths start at one of the folders {", ".join(sorted(LAYERS))}'
    if not (root / header).is_file():
        return f'"{header}": there is no such file'
    if parts[0] != folder and parts[0] not in LAYERS[folder]:
        allowed = ", ".join(sorted(LAYERS[folder] & set(LAYERS) | {folder}))
        return f'"{header}": {folder} may include only {allowed}'
    return None


def check_file(root, name):
    """Yields (line number, message) for every breach in one file."""
    path = root / name
    suffix = path.suffix
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        if suffix in CODE:
            yield 1, "is not UTF-8"
        return
    lines = text.splitlines()
    is_code = suffix in CODE or path.name in ("CMakeLists.txt", "Makefile") or text.startswith("#!")
    if is_code and "SPDX-License-Identifier: MIT" not in "\n".join(lines[:3]):
        yield 1, "no SPDX-License-Identifier line on top"
    if suffix in CODE - {".def"} and len(lines) > MAX_LINES:
        yield len(lines), f"{len(lines)} lines; the limit is {MAX_LINES}: split the file by what it is about"
    for number, line in enumerate(lines, 1):
        if suffix in CPP:
            message = check_include(root, name, line)
            if message:
                yield number, message
        word = WORDS.search(line)
        if word:
            yield number, f"the word {word[0]}: finish it, or say in plain words what is missing and why"
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"


def check_tree(root):
    root = Path(root)
    return [f"{name}:{number}: {message}"
            for name in files_of(root) for number, message in check_file(root, name)]


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    breaches = check_tree(root)
    for breach in breaches:
        print(breach)
    count = len(files_of(root))
    if not count:
        print(f"no files in {root}")
    print(f"{count} files checked, {len(breaches)} breaches")
    return 1 if breaches or not count else 0


if __name__ == "__main__":
    sys.exit(main())

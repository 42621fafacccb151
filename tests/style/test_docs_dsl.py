# SPDX-License-Identifier: MIT
"""docs/dsl.md shows the examples that are compiled and run, letter for letter."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```cpp\n(.*?)```", (ROOT / "docs/dsl.md").read_text(), re.S)
EXAMPLES = sorted((ROOT / "tests/dsl_examples").glob("*.cpp"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_shown_as_it_is(example):
    shown = [block for block in BLOCKS if f" {example.stem}(" in block]
    assert len(shown) == 1, f"docs/dsl.md shows {example.stem} {len(shown)} times"
    assert shown[0] in example.read_text()


def test_there_are_examples():
    assert len(EXAMPLES) == 3

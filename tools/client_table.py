#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints which unmodified programs passed on which device, from what the tests of clients left in a build folder."""

import collections
import json
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 118


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    found = [json.loads(path.read_text()) for path in (build / "clients" / "results").glob("*.json")]
    if not found:
        sys.exit(f"client_table: {build}/clients/results has no results: run the tests of clients first (make test)")
    rows = collections.defaultdict(list)
    for entry in found:
        checks = entry.get("checks", 1)
        rows[entry["client"], entry["version"], entry["device"]].append(
            entry["shows"] + (f" ({checks})" if checks > 1 else "")
        )
    head = ("client", "version", "device")
    widths = [max(len(row[i]) for row in [head, *rows]) + 2 for i in range(3)]
    print("".join(text.ljust(width) for text, width in zip(head, widths)) + "passed (checks, where a test has many)")
    for row, shows in sorted(rows.items()):
        lines = textwrap.wrap(", ".join(sorted(shows)), WIDTH - sum(widths), break_on_hyphens=False)
        for i, line in enumerate(lines):
            print("".join((text if i == 0 else "").ljust(width) for text, width in zip(row, widths)) + line)


if __name__ == "__main__":
    main()

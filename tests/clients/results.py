# SPDX-License-Identifier: MIT
"""What ran, for the table in the README (tools/client_table.py reads it)."""

import hashlib
import json
import os
import pathlib

BUILD = pathlib.Path(
    os.environ.get("LOCKSTEP_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build")
).resolve()


def note(client, version, device, shows, checks=1):
    """Remembers that a client ran on a device and passed: `shows` names the program or the group of tests."""
    folder = BUILD / "clients" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    entry = {"client": client, "version": version, "device": device, "shows": shows}
    key = hashlib.sha256(" ".join(entry.values()).encode()).hexdigest()[:16]
    (folder / f"{key}.json").write_text(json.dumps({**entry, "checks": checks}))

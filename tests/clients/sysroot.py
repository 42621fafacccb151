# SPDX-License-Identifier: MIT
"""A newer Debian release's runtimes, unpacked beside the system: nothing is installed, nothing needs root.

The mirror and its key are those that the machine's own apt sources name; apt resolves and verifies the packages. Kept in
the user's cache (XDG_CACHE_HOME), so that only the first run downloads."""

import fcntl
import hashlib
import os
import pathlib
import re
import subprocess

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Unavailable(Exception):
    """Why there is no sysroot; the tests skip with this text."""


def _sources():
    """(URI, suites, key ring) of every entry of the machine's apt sources."""
    directory = pathlib.Path("/etc/apt/sources.list.d")
    for file in sorted(directory.glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", file.read_text()):
            fields = dict(re.findall(r"^(\S+):[ \t]*(.*)$", stanza, re.M))
            if "deb" in fields.get("Types", "").split():
                for uri in fields.get("URIs", "").split():
                    yield uri, fields.get("Suites", "").split(), fields.get("Signed-By")
    for file in [pathlib.Path("/etc/apt/sources.list"), *sorted(directory.glob("*.list"))]:
        if file.exists():
            entry = r"^deb\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)"
            for options, uri, suite in re.findall(entry, file.read_text(), re.M):
                key = re.search(r"signed-by=(\S+)", options)
                yield uri, [suite], key and key[1]


def _mirror():
    for uri, suites, key in _sources():
        if "bookworm" in suites:
            return uri, key or KEYRING
    raise Unavailable("the apt sources of this machine name no Debian mirror")


class Sysroot:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.libraries = self.root / "usr/lib/x86_64-linux-gnu"

    def command(self, program, *arguments, libraries=()):
        """The command line that runs a program with the loader and the libraries of the sysroot (and of more folders)."""
        loader = next(p for p in (self.root / "usr/lib64", self.root / "lib64") if p.is_dir())
        llvm = ":".join(str(p) for p in sorted((self.root / "usr/lib").glob("llvm-*/lib")))
        path = ":".join(filter(None, [str(self.libraries), llvm, *map(str, libraries)]))
        return [str(loader / "ld-linux-x86-64.so.2"), "--library-path", path, str(program), *map(str, arguments)]

    def find(self, name):
        return next(iter(sorted(self.root.rglob(name))), None)


def make(suite, packages, single=()):
    """The sysroot of a suite with `packages` and all they depend on, and of `single` only their own files."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    wanted = " ".join([*sorted(packages), "|", *sorted(single)])
    base = cache / "lockstep" / f"{suite}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    base.mkdir(parents=True, exist_ok=True)
    with open(base / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / "complete").exists():
            _fill(base, suite, list(packages), list(single))
            (base / "complete").write_text(wanted + "\n")
    return Sysroot(base / "root")


def _fill(base, suite, packages, single):
    uri, key = _mirror()
    for directory in ("state/lists/partial", "cache/archives/partial", "root"):
        (base / directory).mkdir(parents=True, exist_ok=True)
    (base / "status").write_text("")
    sources = base / "debian.sources"
    sources.write_text(f"Types: deb\nURIs: {uri}\nSuites: {suite}\nComponents: main\nSigned-By: {key}\n")
    options = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State": base / "state",
        "Dir::State::status": base / "status",
        "Dir::Cache": base / "cache",
        "APT::Install-Recommends": "false",
        "Debug::NoLocking": "true",
    }
    if os.geteuid() == 0:
        options["APT::Sandbox::User"] = "root"
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
    archives = base / "cache/archives"
    commands = [[*apt, "update"]]
    if packages:
        commands.append([*apt, "install", "-y", "--download-only", *packages])
    if single:
        commands.append([*apt, "download", *single])
    for command in commands:
        try:
            done = subprocess.run(command, cwd=archives, capture_output=True, text=True, timeout=900)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"{suite}: {error}") from error
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise Unavailable(f"packages of {suite} cannot be had: {' '.join(last)}")
    for package in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, base / "root"], check=True)
        package.unlink()

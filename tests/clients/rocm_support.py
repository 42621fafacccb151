# SPDX-License-Identifier: MIT
"""What the ROCm client tests share: compiling the programs of hip/, running a client, noting results for the README."""

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import pytest
from results import note  # noqa: F401 (tests call it as rocm.note)

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", ROOT / "build")).resolve()
LOCKSTEP = os.environ.get("LOCKSTEP_BIN", str(BUILD / "bin" / "lockstep"))
CLIENTS = ROOT / "tests" / "clients"
OUTPUT = BUILD / "clients"
TIMEOUT = 120

PROGRAMS = sorted(p.stem for p in (CLIENTS / "hip").glob("*.hip") if not p.stem.startswith("fault_"))
GPUS = {"peers": 2, "queues": 8}  # programs that need more than one


def need(program, package):
    """Skips where a program is missing that a package of tools/packages.txt brings."""
    found = shutil.which(program)
    if not found:
        pytest.skip(f"{program} is not installed (Debian package {package})")
    return found


@dataclasses.dataclass
class Run:
    status: int
    text: str
    report: dict

    @property
    def dispatches(self):
        return self.report.get("totals", {}).get("dispatches", 0)

    @property
    def kernels(self):
        """Names of the kernels that ran, on any device of any process."""
        return {k["name"] for p in self.report["processes"] for d in p["devices"] for k in d["kernels"]}


def compile_program(source, compiler, libraries=("-lamdhip64",)):
    """Compiles a program of this folder with a command line; the same sources and command are compiled once."""
    source = CLIENTS / source
    shared = b"".join(header.read_bytes() for header in sorted(source.parent.glob("*.h")))
    command = [*map(str, compiler), "-w", "-O2", str(source), *map(str, libraries)]
    text = " ".join(command).encode() + source.read_bytes() + shared
    program = OUTPUT / source.parent.name / f"{source.stem}-{hashlib.sha256(text).hexdigest()[:16]}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        part = program.with_name(f"{program.name}.{os.getpid()}")
        done = subprocess.run([*command, "-o", part], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{source.name} does not compile:\n{done.stdout}{done.stderr}"
        part.rename(program)
    return program


def compile_hip(name, compiler):
    """Compiles hip/NAME.hip; hipcc names its libraries itself."""
    return compile_program(f"hip/{name}.hip", compiler, () if compiler[0].endswith("hipcc") else ("-lamdhip64",))


def run(command, device, gpus=1, tmp_path=None, env=None, options=()):
    """Runs a client on emulated devices; output and error together, as a person sees them."""
    report = tmp_path / "report.json"
    full = [LOCKSTEP, "run", f"--device={device}", f"--gpus={gpus}", "--quiet", f"--report={report}", *options, "--", *map(str, command)]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP_", "HIP_", "ROC"))}
    done = subprocess.run(full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT, env=clean | (env or {}))
    return Run(done.returncode, done.stdout, json.loads(report.read_text()))


def check_program(name, command, device, tmp_path, env=None):
    """A program of hip/ that checks its own numbers."""
    result = run(command, device, GPUS.get(name, 1), tmp_path, env)
    assert result.status == 0 and "\nPASSED" in "\n" + result.text, result.text
    assert result.dispatches > 0, "no kernel ran on an emulated device"
    nameless = [kernel for kernel in result.kernels if kernel.startswith("kernel at")]
    assert not nameless, f"the report does not name {nameless}, only {result.kernels - set(nameless)}"
    assert name != "vector_add" or "_Z3addPKfS0_Pfi" in result.kernels, result.kernels
    if name == "queues":
        queues = [d["queues"] for p in result.report["processes"] for d in p["devices"]]
        assert len(queues) == 8 and min(queues) >= 16, queues
    if name == "printf":
        for group in range(2):
            for lane in range(3):
                line = f"lane {lane} of group {group}: {1000 + lane} {1.5 * lane:.2f} text"
                assert line in result.text, result.text
    return result


def check_fault(name, command, device, tmp_path):
    """A program of hip/ that goes wrong: the program is told as by a real driver, the person sees our account."""
    result = run(command, device, 1, tmp_path)
    assert result.status != 0 and "survived" not in result.text, result.text
    told, explained, kernel = {
        "fault_assert": ("Device-side assertion `static_cast<int>(threadIdx.x) < limit' failed", "GPU fault: trap", "_Z8doubtfuli"),
        "fault_abort": ("HSA_STATUS_ERROR_EXCEPTION", "GPU fault: trap", "_Z4stopv"),
        "fault_address": ("GPU memory access fault", "GPU fault: write to memory that is not there", "_Z8scribblePi"),
    }[name]
    assert told in result.text and explained in result.text, result.text
    assert f"\n  kernel      {kernel}\n" in result.text, result.text
    if name == "fault_assert":
        assert "the first launch is fine" in result.text, result.text
    if name == "fault_address":
        assert "address     0x1234560000, 4 bytes" in result.text, result.text
    return result

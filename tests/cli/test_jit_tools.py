# SPDX-License-Identifier: MIT
"""Generated code as people and their tools see it: listings, perf's map, gdb's JIT interface."""

import json
import os
import re
import shutil
import subprocess

import pytest
from conftest import LOCKSTEP, good, kernel, lockstep, refused

ARGUMENTS = ["--kernel=vector_add", "--grid=4", "--block=256", "--arg=iota:f32:1000", "--arg=iota:f32:1000",
             "--arg=out:f32:1000", "--arg=i32:1000"]  # fmt: skip


def exec_vector_add(*more, **options):
    return lockstep("exec", kernel("vector_add"), *ARGUMENTS, *more, **options)


def has_jit():
    return exec_vector_add("--engine=jit").returncode == 0


pytestmark = pytest.mark.skipif(not has_jit(), reason="this processor runs no compiled code")


def test_listing_has_every_instruction_and_its_host_bytes():
    done = exec_vector_add("--engine=jit", "--dump=jit")
    assert done.returncode == 0
    code = good("disasm", kernel("vector_add")).stdout
    guest = re.findall(r"^  (\S.*?) +; [0-9a-f]{6}: ", code[code.index("\nvector_add:"):], re.M)
    guest = guest[: guest.index("s_endpgm") + 1]
    lines = re.findall(r"^vector_add\+(0x[0-9a-f]+) +(.*?)(?:    ; call of the interpreter)?$", done.stderr, re.M)
    # Hosts with AVX2 list vector instructions in a row once for each eight lanes.
    shown = [text for _, text in sorted({(int(at, 16), text) for at, text in lines})]
    assert [t.split()[0] for t in shown] == [t.split()[0] for t in guest]
    block = done.stderr[done.stderr.index("v_add_f32") :].splitlines()
    assert any(re.fullmatch(" {8}[0-9a-f]+", line) for line in block[1:4])
    assert re.search(r"; .*zmm\d+=v\d+", done.stderr)


def test_code_is_for_the_kind_of_host_that_doctor_names():
    for asked in ({}, {"LOCKSTEP_JIT_HOST": "avx2"}):
        checks = json.loads(lockstep("doctor", "--json", env=asked).stdout)["checks"]
        (processor,) = [c for c in checks if c["topic"] == "processor"]
        (host,) = re.findall(r"AVX-512|AVX2", processor["found"])
        done = exec_vector_add("--engine=jit", "--dump=jit", env=asked)
        assert f" host bytes for {host} at 0x" in done.stderr


def test_listing_into_a_file(tmp_path):
    file = tmp_path / "jit.txt"
    assert exec_vector_add("--engine=jit", env={"LOCKSTEP_JIT_DUMP": str(file)}).returncode == 0
    assert "vector_add+0x0" in file.read_text()
    done = exec_vector_add("--engine=jit", env={"LOCKSTEP_JIT_DUMP": "/nowhere/jit.txt"})
    assert done.returncode == 0 and "/nowhere/jit.txt cannot be written" in done.stderr


def test_the_interpreter_has_nothing_to_list():
    refused(exec_vector_add("--engine=interp", "--dump=jit"), "--dump=jit", "--engine=jit")
    refused(exec_vector_add(env={"LOCKSTEP_JIT_GDB": "yes"}), "LOCKSTEP_JIT_GDB=yes")


def test_perf_map_covers_the_code_without_holes():
    process = subprocess.Popen([LOCKSTEP, "exec", kernel("vector_add"), *ARGUMENTS, "--engine=jit"],
                               env={**os.environ, "LOCKSTEP_JIT_PERF_MAP": "1"}, stdout=subprocess.DEVNULL)  # fmt: skip
    assert process.wait(120) == 0
    path = f"/tmp/perf-{process.pid}.map"
    with open(path) as file:
        lines = [line.rstrip("\n").split(" ", 2) for line in file]
    os.unlink(path)
    assert any("v_add_f32" in name for _, _, name in lines)
    for (start, size, _), (following, _, _) in zip(lines, lines[1:]):
        assert int(start, 16) + int(size, 16) == int(following, 16)


def test_rows_that_are_compiled_and_those_that_are_called():
    """The list comes from the emitter itself; a row stands in one place only."""
    (target,) = json.loads(good("isa", "--mcpu=gfx1100", "--coverage", "--engine=jit", "--json").stdout)
    called = [name for names in target["called"].values() for name in names]
    assert target["compiled"] + len(called) == target["executed"]
    assert target["compiled"] > 300 and "v_add_f32" not in called and "s_getreg_b32" in called
    refused(lockstep("isa", "--mcpu=gfx1100", "--engine=jit"), "--coverage")
    refused(lockstep("isa", "--coverage", "--engine=interp"), "interp")


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed; it is not needed for anything else")
def test_gdb_knows_the_code():
    done = subprocess.run(
        ["gdb", "-batch", "-ex", "break __jit_debug_register_code", "-ex", "run", "-ex", "finish",
         "-ex", "info functions vector_add", "--args", LOCKSTEP, "exec", kernel("vector_add"), *ARGUMENTS, "--engine=jit"],
        env={**os.environ, "LOCKSTEP_JIT_GDB": "1"}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert re.search(r"0x[0-9a-f]+ +vector_add\+0x[0-9a-f]+ v_add_f32", done.stdout), done.stdout + done.stderr


def report_of(tmp_path, *more, **options):
    file = tmp_path / "report.json"
    done = exec_vector_add(f"--report={file}", *more, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text())["processes"][0]["jit"]


def test_report_says_what_was_compiled(tmp_path):
    jit = report_of(tmp_path)
    assert jit["host"] in ("AVX-512", "AVX2") and jit["units"] == 1 and jit["given_up"] == 0
    assert 10 < jit["instructions"] < 60 and jit["called"] < jit["instructions"]
    assert 0 < jit["seconds"] < 1 and jit["host_bytes"] > jit["instructions"]


def test_without_compiled_code_the_interpreter_runs_everything(tmp_path):
    """As on such a host: the default engine works and says so, asking for compiled code is an error."""
    env = {"LOCKSTEP_JIT_HOST": "none"}
    jit = report_of(tmp_path, env=env)
    assert jit["host"].startswith("none") and jit["units"] == 0
    refused(exec_vector_add("--engine=jit", env=env), "AVX-512", "--engine=interp")
    assert exec_vector_add(env=env).stdout.splitlines()[:-1] == exec_vector_add().stdout.splitlines()[:-1]


def test_the_host_that_code_is_made_for_can_be_forced(tmp_path):
    """avx512, avx2, none; each that this processor can do gives the same result and is named everywhere."""
    output = exec_vector_add().stdout.splitlines()[:-1]
    tried = 0
    for name, title in (("avx512", "AVX-512"), ("avx2", "AVX2")):
        env = {"LOCKSTEP_JIT_HOST": name}
        done = exec_vector_add("--engine=jit", env=env)
        if done.returncode != 0:
            refused(done, "LOCKSTEP_JIT_HOST", name)
            continue
        tried += 1
        assert done.stdout.splitlines()[:-1] == output
        jit = report_of(tmp_path, env=env)
        assert jit["host"] == title and jit["units"] == 1 and jit["given_up"] == 0
        assert f"x86-64 with {title}, as LOCKSTEP_JIT_HOST says" in lockstep("doctor", env=env).stdout
        (target,) = json.loads(good("isa", "--mcpu=gfx1100", "--coverage", "--engine=jit", "--json", env=env).stdout)
        assert target["tier"] == title and target["compiled"] > 300
    assert tried


@pytest.mark.parametrize("name", ["avx1024", "AVX2", "0", " "])
def test_a_wrong_host_is_an_error(name):
    env = {"LOCKSTEP_JIT_HOST": name}
    for more in ([], ["--engine=jit"], ["--engine=interp"]):
        refused(exec_vector_add(*more, env=env), "LOCKSTEP_JIT_HOST", f'"{name}"', "avx512, avx2 or none")
    refused(lockstep("isa", "--coverage", "--engine=jit", env=env), "LOCKSTEP_JIT_HOST", f'"{name}"')
    done = lockstep("doctor", env=env)
    assert done.returncode != 0 and f'LOCKSTEP_JIT_HOST is "{name}"' in done.stdout

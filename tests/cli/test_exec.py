# SPDX-License-Identifier: MIT
"""`lockstep exec`: arguments against metadata, hidden arguments, outputs, files, and what it refuses."""

import json
import pathlib
import subprocess

import numpy as np
import pytest

from conftest import KERNELS, good, kernel, lockstep, refused

ADD = ["--arg", "iota:f32:1000", "--arg", "rand:f32:1000:1", "--arg", "out:f32:1000", "--arg", "u32:1000"]


def add(*options, args=ADD, extent=("--grid=4", "--block=256")):
    return lockstep("exec", kernel("vector_add"), "--kernel=vector_add", *extent, *args, *options)


def args(*specs):
    return [word for spec in specs for word in ("--arg", spec)]


def test_prints_outputs_shortened():
    lines = add().stdout.splitlines()
    assert lines[0] == "argument 2, f32 1000:"
    assert "..." in "".join(lines[1:-1])
    assert lines[-1].startswith("vector_add on gfx1100: 4 workgroups, 32 waves, ")
    assert "..." not in add("--full").stdout


def test_files_in_and_out(tmp_path):
    a, b = np.random.default_rng(1).standard_normal((2, 1000), dtype=np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    done = add(args=args(f"in:f32:{tmp_path}/a.npy", f"in:f32:{tmp_path}/b.npy",
                         f"out:f32:10x100:{tmp_path}/c.npy", "u32:1000"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    c = np.load(tmp_path / "c.npy")
    assert c.shape == (10, 100) and c.dtype == np.float32
    np.testing.assert_array_equal(c.ravel(), a + b)


def test_inout_and_generated_inputs(tmp_path):
    """inout: starts with the file; iota and rand can be written too, as the run left them."""
    start = np.full(1000, 7, np.float32)
    np.save(tmp_path / "start.npy", start)
    done = add(args=args(f"iota:f32:1000:{tmp_path}/a.npy", f"rand:f32:1000:5:{tmp_path}/b.npy",
                         f"inout:f32:{tmp_path}/start.npy:{tmp_path}/c.npy", "u32:500"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    a, b, c = (np.load(tmp_path / f"{name}.npy") for name in "abc")
    np.testing.assert_array_equal(a, np.arange(1000, dtype=np.float32))
    assert b.min() >= 0 and b.max() < 1 and len(np.unique(b)) > 900
    np.testing.assert_array_equal(c, np.where(np.arange(1000) < 500, a + b, start))


def test_json():
    result = json.loads(add("--json", args=args("iota:f32:6", "iota:f32:6", "out:f32:6", "u32:6")).stdout)
    assert result["ok"] and result["kernel"] == "vector_add" and result["target"] == "gfx1100"
    assert result["wave_size"] == 32 and result["items"] == [1024, 1, 1]
    assert result["arguments"][2]["data"] == [0, 2, 4, 6, 8, 10]
    assert result["arguments"][2]["shape"] == [6]
    assert result["stats"]["workgroups"] == 4 and result["stats"]["waves"] == 32
    assert result["stats"]["wave_instructions"] > 32
    long = json.loads(add("--json", args=args("iota:f32:2000", "iota:f32:2000", "out:f32:2000", "u32:1000")).stdout)
    assert long["arguments"][2]["first"] == [0, 2, 4] and "data" not in long["arguments"][2]


def test_report(tmp_path):
    add(f"--report={tmp_path}/report.json")
    add(f"--report={tmp_path}/report.json")  # replaces, does not add
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["totals"]["dispatches"] == 1 and report["totals"]["waves"] == 32
    assert report["processes"][0]["devices"][0]["kernels"][0]["name"] == "vector_add"


def test_dumps():
    done = add("--dump=kernarg,descriptor", "--dump=code,args")
    assert "hidden_block_count_x" in done.stderr and "kernarg segment at" in done.stderr
    assert "s[0:1] kernarg" in done.stderr and "s_endpgm" in done.stderr
    assert "argument 0, f32 1000" in done.stdout and "argument 1, f32 1000" in done.stdout
    refused(add("--dump=registers"), "--dump", "registers", "kernarg")


def test_addresses_repeat():
    first, second = (add("--dump=kernarg").stderr for _ in range(2))
    assert first == second and "argument 3" in first


# Every hidden argument of code object V5 that says something about the launch, as the kernel sees it.
HIDDEN = """
typedef constant const uchar* implicit;
kernel void hidden(global uint* out, uint tag) {
  if (__builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workitem_id_y() + __builtin_amdgcn_workitem_id_z()) return;
  implicit p = (implicit)__builtin_amdgcn_implicitarg_ptr();
  uint group = __builtin_amdgcn_workgroup_id_x();
  global uint* row = out + group * 13;
  row[0] = tag;
  for (int i = 0; i < 3; ++i) row[1 + i] = *(constant const uint*)(p + 4 * i);
  for (int i = 0; i < 6; ++i) row[4 + i] = *(constant const ushort*)(p + 12 + 2 * i);
  row[10] = *(constant const uint*)(p + 40);
  row[11] = *(constant const ushort*)(p + 64);
  row[12] = *(constant const uint*)(p + 120);
}
"""


@pytest.mark.parametrize("version", [5, 6])
def test_hidden_arguments(compile_cl, version):
    path = compile_cl(HIDDEN, f"-mcode-object-version={version}")
    done = lockstep("exec", path, "--items=100,6,2", "--block=32,4,2", "--json",
                    *args("out:u32:4x13", "u32:77"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = np.array(json.loads(done.stdout)["arguments"][0]["data"]).reshape(4, 13)
    #        tag, whole groups, group size, remainder, offset, dimensions, dynamic LDS
    expected = [77, 3, 1, 1, 32, 4, 2, 4, 2, 0, 0, 3, 0]
    for row in rows:
        assert row.tolist() == expected


def test_code_object_v4_dispatch_packet(compile_cl):
    """V4 kernels read sizes from the dispatch packet, and have other hidden arguments."""
    source = """
    kernel void packet(global uint* out) {
      constant const uchar* p =
          (constant const uchar*)__builtin_amdgcn_dispatch_ptr();
      if (__builtin_amdgcn_workitem_id_x() || __builtin_amdgcn_workitem_id_y()) return;
      out[0] = *(constant const ushort*)(p + 2);
      for (int i = 0; i < 3; ++i) out[1 + i] = *(constant const ushort*)(p + 4 + 2 * i);
      for (int i = 0; i < 3; ++i) out[4 + i] = *(constant const uint*)(p + 12 + 4 * i);
      out[7] = *(constant const uint*)(
          (constant const uchar*)__builtin_amdgcn_implicitarg_ptr() + 8);
    }
    """
    path = compile_cl(source, "-mcode-object-version=4")
    done = lockstep("exec", path, "--items=40,3", "--block=32,2", "--json", *args("out:u32:8"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["arguments"][0]["data"] == [2, 32, 2, 1, 40, 3, 1, 0]


def test_dynamic_lds(compile_cl):
    source = """
    kernel void rotate(global uint* out, local uint* a, local uint* b) {
      uint i = __builtin_amdgcn_workitem_id_x();
      a[i] = i * 3;
      b[i] = i * 5;
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_s_barrier();
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
      out[i] = a[(i + 1) % 64] + b[(i + 2) % 64];
    }
    """
    path = compile_cl(source)
    done = lockstep("exec", path, "--grid=1", "--block=64", "--json", *args("out:u32:64", "lds:256", "lds:256"))
    assert done.returncode == 0, done.stderr
    i = np.arange(64)
    expected = (i + 1) % 64 * 3 + (i + 2) % 64 * 5
    assert json.loads(done.stdout)["arguments"][0]["data"] == expected.tolist()
    refused(lockstep("exec", path, "--grid=1", *args("out:u32:64", "lds:65000", "lds:4000")), "argument 2", "LDS")
    refused(lockstep("exec", path, "--grid=1", *args("out:u32:64", "lds:64", "u32:4")), "argument 2", "LDS")


@pytest.mark.parametrize(
    "specs,parts",
    [
        (["iota:f32:4", "iota:f32:4", "out:f32:4"], ["4 arguments", "3", "argument 3", "uint"]),
        (["iota:f32:4"] * 5, ["4 arguments", "5", "one too many"]),
        (["iota:f32:4", "i32:3", "out:f32:4", "u32:4"], ["argument 1", "pointer", "i32:3"]),
        (["iota:f32:4", "iota:f64:4", "out:f32:4", "u32:4"], ["argument 1", "float*", "f64"]),
        (["iota:f32:4", "iota:f32:4", "out:i32:4", "u32:4"], ["argument 2", "float*", "i32"]),
        (["iota:f32:4", "iota:f32:4", "out:f32:4", "u64:4"], ["argument 3", "4 bytes", "8"]),
        (["iota:f32:4", "iota:f32:4", "out:f32:4", "f32:4"], ["argument 3", "uint", "f32"]),
        (["iota:f32:4", "iota:f32:4", "out:f32:4", "out:f32:4"], ["argument 3", "4 bytes", "buffer"]),
        (["iota:f32:4", "bad:f32:4", "out:f32:4", "u32:4"], ["argument 1", "bad"]),
        (["iota:f32:4", "in:f32:/nowhere/x.npy", "out:f32:4", "u32:4"], ["argument 1", "/nowhere/x.npy"]),
    ],
)
def test_wrong_arguments_are_named(specs, parts):
    refused(add(args=args(*specs)), *parts)


def test_file_of_another_type_is_named(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(4, np.int64))
    done = add(args=args("iota:f32:4", f"in:f32:{tmp_path}/x.npy", "out:f32:4", "u32:4"))
    refused(done, "argument 1", "x.npy", "<i8", "f32")


@pytest.mark.parametrize(
    "extent,parts",
    [
        (["--grid=0"], ["--grid"]),
        (["--grid=1,2,3,4"], ["--grid", "three"]),
        (["--grid=x"], ["--grid", "x"]),
        (["--grid=1", "--block=0"], ["--block"]),
        (["--grid=1", "--block=2048"], ["2048", "1024"]),
        (["--grid=1", "--block=64,64"], ["64x64x1", "1024"]),
        (["--grid=4294967295", "--block=256"], ["2^32"]),
        ([], ["--grid", "--items"]),
        (["--grid=1", "--items=4"], ["--grid", "--items"]),
    ],
)
def test_impossible_extents_are_refused(extent, parts):
    refused(add(extent=extent), *parts)


def test_null_pointer_faults():
    done = add(args=args("null", "iota:f32:1000", "out:f32:1000", "u32:1000"))
    assert done.returncode == 1
    assert "address     0x0," in done.stderr and "lane 0" in done.stderr


def test_fault_as_json(tmp_path):
    done = lockstep("exec", KERNELS / "bad" / "read_past_end.gfx1100.w32.co", "--grid=1", "--block=32", "--json",
                    f"--report={tmp_path}/r.json", *args("iota:f32:64", f"out:f32:32:{tmp_path}/out.npy", "u32:40"))  # fmt: skip
    assert done.returncode == 1
    result = json.loads(done.stdout)
    fault = result["fault"]
    assert not result["ok"] and "arguments" not in result
    assert fault["kernel"] == "read_past_end" and fault["lane"] == 24 and fault["access_size"] == 4
    assert "arg 0 (iota:f32:64)" in fault["nearest"]
    assert fault["instruction"].startswith("global_load_b32") and fault["bytes"]
    assert json.loads((tmp_path / "r.json").read_text())["totals"]["faults"] == 1
    assert not (tmp_path / "out.npy").exists(), "half a result must not pass for one"


def test_unwritable_output():
    done = add(args=args("iota:f32:4", "iota:f32:4", "out:f32:4:/nowhere/c.npy", "u32:4"))
    refused(done, "argument 2", "/nowhere/c.npy")


HAS_JIT = "avx512_vpopcntdq" in pathlib.Path("/proc/cpuinfo").read_text()


@pytest.mark.parametrize("engine", ["interp", "jit", "verify"])
def test_engines_agree_or_are_refused(engine):
    result = add(f"--engine={engine}")
    if engine == "interp" or HAS_JIT:
        assert result.returncode == 0
        values = [text.splitlines()[:-1] for text in (result.stdout, add("--engine=interp").stdout)]
        assert values[0] == values[1]  # the last line has the time
    else:
        refused(result, "AVX", "interp")


def test_assembly_text_without_a_target(tmp_path):
    source = tmp_path / "kernel.s"
    source.write_text("s_endpgm\n")
    refused(lockstep("exec", source, "--grid=1"), "kernel.s:1:1", "--mcpu", ".amdgcn_target")
    refused(lockstep("exec", source, "--mcpu=gfx1100", "--grid=1"), "no kernels")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kernel.s"], "nothing was left behind"


def test_other_files(tmp_path):
    junk = tmp_path / "junk"
    junk.write_bytes(bytes(range(256)))
    refused(lockstep("exec", junk, "--grid=1"), "junk", "code object")
    refused(lockstep("exec", tmp_path / "absent", "--grid=1"), "absent", "No such file")
    refused(lockstep("exec", tmp_path, "--grid=1"), "directory")
    refused(add("--mcpu=gfx1201"), "gfx1100", "gfx1201")
    refused(add("--mcpu=gfx99"), "gfx99")


def test_kernel_may_be_left_out_if_alone():
    assert good("exec", kernel("reduction"), "--grid=1", "--block=64",
                *args("iota:f32:64", "out:f32:1", "u32:64")).stdout.splitlines()[1] == "[2016.]"  # fmt: skip


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"])
def test_copy_of_every_type(compile_cl, tmp_path, dtype):
    """Bytes go in and come out unchanged, whatever the type."""
    path = compile_cl("kernel void copy(global const char* from, global char* to)"
                      "{ uint i = __builtin_amdgcn_workitem_id_x(); to[i] = from[i]; }")  # fmt: skip
    values = np.random.default_rng(3).integers(0, 100, 12).astype(np.dtype(dtype[0] + str(int(dtype[1:]) // 8)))
    np.save(tmp_path / "in.npy", values.reshape(3, 4))
    done = lockstep("exec", path, "--grid=1", f"--block={values.nbytes}",
                    *args(f"in:{dtype}:{tmp_path}/in.npy", f"out:{dtype}:12:{tmp_path}/out.npy"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npy")
    assert out.dtype == values.dtype
    np.testing.assert_array_equal(out, values)


def test_kernel_without_metadata(tmp_path):
    """Arguments then go to their natural alignment, and the descriptor's kernarg size is the limit."""
    source = """
        .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
        .text
        .globl  plain
        .p2align 8
        .type   plain,@function
plain:
        s_load_b64 s[4:5], s[0:1], 0x8
        s_load_b32 s6, s[0:1], 0x0
        s_load_b64 s[8:9], s[0:1], 0x18
        v_lshlrev_b32_e32 v1, 3, v0
        s_waitcnt lgkmcnt(0)
        v_mov_b32_e32 v2, s6
        v_mov_b32_e32 v3, s8
        global_store_b64 v1, v[2:3], s[4:5]
        s_endpgm
        .size   plain, .-plain
        .rodata
        .p2align 6
        .amdhsa_kernel plain
          .amdhsa_next_free_vgpr 4
          .amdhsa_next_free_sgpr 16
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_kernarg_size 32
        .end_amdhsa_kernel
    """
    obj, path = tmp_path / "plain.o", tmp_path / "plain.co"
    subprocess.run(["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-filetype=obj", "-o", obj],
                   input=source, text=True, check=True)  # fmt: skip
    subprocess.run(["ld.lld-22", "-shared", obj, "-o", path], check=True)
    specs = ["i32:-5", "out:i32:32x2", "i8:1", "i64:123456789"]
    done = lockstep("exec", path, "--grid=1", "--block=32", "--json", *args(*specs))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["arguments"][1]["data"] == [-5, 123456789] * 32
    refused(lockstep("exec", path, "--grid=1", *args(*specs, "i32:1")), "36 bytes", "32")


def test_bundle_and_wave64(compile_cl, tmp_path):
    """The code object for --mcpu is taken out of an offload bundle."""
    source = "kernel void size(global uint* out) { out[0] = __builtin_amdgcn_wavefrontsize(); }"
    files = {"gfx1100": compile_cl(source, "-mwavefrontsize64"), "gfx1201": compile_cl(source, cpu="gfx1201")}
    host = tmp_path / "host"
    host.touch()
    bundle = tmp_path / "bundle"
    targets = ",".join(["host-x86_64-unknown-linux-gnu"] + [f"hipv4-amdgcn-amd-amdhsa--{cpu}" for cpu in files])
    subprocess.run(["clang-offload-bundler-22", "-type=o", "-bundle-align=4096", f"-targets={targets}",
                    *[f"-input={f}" for f in (host, *files.values())], f"-output={bundle}"], check=True)  # fmt: skip
    for cpu, waves in (("gfx1100", 64), ("gfx1201", 32)):
        done = lockstep("exec", bundle, f"--mcpu={cpu}", "--grid=1", "--json", *args("out:u32:1"))
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["target"] == cpu and result["wave_size"] == waves
        assert result["arguments"][0]["data"] == [waves]
        assert f"; {cpu}," in good("disasm", bundle, f"--mcpu={cpu}").stdout
    refused(lockstep("exec", bundle, "--mcpu=gfx942", "--grid=1", *args("out:u32:1")), "gfx942", "gfx1201")

# SPDX-License-Identifier: MIT
"""A tinygrad program with a broken kernel. Arguments: which one; "catch" to survive the error."""

import sys

from tinygrad import Device, Tensor, dtypes
from tinygrad.device import BufferSpec, TinyELF

ITEMS, BAD = 64, 37  # work-item 37 goes astray: lane 5 of wave 1

# out[i] = in[i], but the bad work-item adds `far` elements to one of the addresses
KERNEL = """
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @{name}(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %far) #0 {{
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %bad = icmp eq i32 %id, {bad}
  %offset = select i1 %bad, i64 %far, i64 0
  %astray = add i64 %i, %offset
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %{read}
  %value = load i32, ptr addrspace(1) %from
  {extra}
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %{write}
  store i32 %value, ptr addrspace(1) %to
  ret void
}}
attributes #0 = {{ nounwind "amdgpu-flat-work-group-size"="1,64" }}
"""
KERNELS = {
    "good": {"read": "i", "write": "i", "extra": ""},
    "reads_astray": {"read": "astray", "write": "i", "extra": ""},
    "writes_astray": {"read": "i", "write": "astray", "extra": ""},
    "unknown_word": {
        "read": "i",
        "write": "i",
        "extra": 'call void asm sideeffect ".long 0xdeadbeef", ""()',
    },
}


def launch(name, far):
    device = Device[Device.DEFAULT]
    source = KERNEL.format(name=name, bad=BAD, **KERNELS[name])
    signature = (("out", 0, dtypes.int32, (ITEMS,)), ("in", 1, dtypes.int32, (ITEMS,)))
    signature += (("far", 2, dtypes.int64, ()),)
    binary = device.renderer.compiler.compile(source)
    program = device.runtime(TinyELF(binary, name, device.renderer.target, signature))
    spec = BufferSpec(nolru=True, cpu_access=True)
    out, values = (device.allocator.alloc(4 * ITEMS, spec) for _ in range(2))
    values.cpu_view().view(fmt="i")[:ITEMS] = memoryview(bytes(range(4 * ITEMS))).cast("i")
    astray = {"reads_astray": values, "writes_astray": out}.get(name, values)
    start = program.prog_addr - program.lib_gpu.va_addr
    code = bytearray(256)
    device.allocator._copyout(memoryview(code), program.lib_gpu.offset(start, len(code)))
    print(f"address {astray.va_addr + 4 * (BAD + far):#x}")
    print(f"entry {program.prog_addr:#x}\ncode 0x{code.hex()}", flush=True)
    program(out, values, local_size=(ITEMS, 1, 1), vals=(far,), wait=True)
    assert bytes(out.cpu_view().view(fmt="B")[: 4 * ITEMS]) == bytes(range(4 * ITEMS))
    print("copied", flush=True)


def main():
    name, catch = sys.argv[1], "catch" in sys.argv[2:]
    assert (Tensor([1, 2, 3]) * 2).tolist() == [2, 4, 6]
    try:
        launch(name, 1 << 42)
    except RuntimeError as error:
        print("caught", error, flush=True)
        print("CPU still counts to", (Tensor([1, 2], device="CPU") + 1).tolist()[-1], flush=True)
        if not catch:
            raise


if __name__ == "__main__":
    main()

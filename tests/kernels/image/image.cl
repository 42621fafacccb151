// SPDX-License-Identifier: MIT
// Images as the compiler lowers them. The host gives the resources without their base addresses.

float4 load_2d(int dmask, int x, int y, int8 resource, int fail, int cache)
    __asm("llvm.amdgcn.image.load.2d.v4f32.i32.v8i32");
float load_3d(int dmask, int x, int y, int z, int8 resource, int fail, int cache)
    __asm("llvm.amdgcn.image.load.3d.f32.i32.v8i32");
void store_2d(float4 data, int dmask, int x, int y, int8 resource, int fail, int cache)
    __asm("llvm.amdgcn.image.store.2d.v4f32.i32.v8i32");
void store_array(float data, int dmask, int x, int y, int layer, int8 resource, int fail, int cache)
    __asm("llvm.amdgcn.image.store.2darray.f32.i32.v8i32");
int add_1d(int data, int x, int8 resource, int fail, int cache)
    __asm("llvm.amdgcn.image.atomic.add.1d.i32.i32.v8i32");
float4 size_2d(int dmask, int level, int8 resource, int fail, int cache)
    __asm("llvm.amdgcn.image.getresinfo.2d.v4f32.i32.v8i32");

#define ID(axis)                                                                                  \
  (__builtin_amdgcn_workgroup_id_##axis() * BLOCK_##axis + __builtin_amdgcn_workitem_id_##axis())
#define BLOCK_x 8
#define BLOCK_y 8
#define BLOCK_z 1

int8 at(global void* memory, int8 resource) {
  ulong address = (ulong)memory;
  resource.s0 = address >> 8;
  resource.s1 |= address >> 40;
  return resource;
}

// Mirrors and halves; every work-item beyond the size reads and writes outside.
kernel void mirror(global void* from, global void* to, int8 from_resource, int8 to_resource) {
  int x = ID(x), y = ID(y);
  int8 source = at(from, from_resource);
  int width = as_int(size_2d(15, 0, source, 0, 0).x);
  float4 texel = load_2d(15, width - 1 - x, y, source, 0, 0);
  store_2d(texel * 0.5f, 15, x, y, at(to, to_resource), 0, 0);
}

// Slices become layers; counts the texels above a half of each slice.
kernel void layers(global void* from, global void* to, global void* counts, int8 from_resource,
                   int8 to_resource, int8 count_resource) {
  int x = ID(x), y = ID(y), z = ID(z);
  float texel = load_3d(1, x, y, z, at(from, from_resource), 0, 0);
  store_array(texel, 1, y, x, z, at(to, to_resource), 0, 0);
  if (texel > 0.5f) add_1d(1, z, at(counts, count_resource), 0, 0);
}

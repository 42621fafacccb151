/* SPDX-License-Identifier: MIT
 * The assembler and the waves of lockstep.h from plain C99. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/capi/lockstep.h"
#include "tests/capi/check.h"

static void* assemble(const char* target, const char* text, uint32_t output, size_t* size) {
  lockstep_assemble_options o;
  void* bytes = NULL;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  o.output = output;
  CHECK(lockstep_assemble(target, text, strlen(text), &o, &bytes, size) == 0);
  CHECK(bytes);
  return bytes;
}

static lockstep_workgroup* group_of(const char* target, const char* text, uint32_t waves,
                                    uint32_t lds_size) {
  lockstep_workgroup_options o;
  size_t size;
  void* code = assemble(target, text, LOCKSTEP_ASSEMBLE_CODE, &size);
  lockstep_workgroup* g;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  o.waves = waves;
  o.lds_size = lds_size;
  g = lockstep_workgroup_create(target, code, size, &o);
  CHECK(g);
  lockstep_free(code);
  return g;
}

static void lines(void) {
  static const uint8_t kAdd[] = {0x02, 0x07, 0x02, 0x06};
  uint8_t bytes[LOCKSTEP_INSN_BYTES];
  uint32_t size = 7;
  CHECK(lockstep_assemble_line("gfx1100", "v_add_f32 v1, v2, v3", NULL, bytes, &size) == 0);
  CHECK(size == 4 && memcmp(bytes, kAdd, 4) == 0);
  CHECK(lockstep_assemble_line("gfx1100", "v_add_f32 v1, v2", NULL, bytes, &size) ==
        LOCKSTEP_ERROR_INPUT);
  CHECK(size == 0 && strstr(lockstep_last_error(), "column"));
  CHECK(lockstep_assemble_line("gfx7", "s_nop 0", NULL, bytes, &size) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(strstr(lockstep_last_error(), "gfx7"));
  CHECK(lockstep_assemble_line("gfx90a:xnack+", "s_nop 0", NULL, bytes, &size) == 0);
  CHECK(lockstep_assemble_line("gfx1100:xnack+", "s_nop 0", NULL, bytes, &size) ==
        LOCKSTEP_ERROR_ARGUMENT);
}

static void count_message(void* context, const char* text) {
  CHECK(strstr(text, "here.s:"));
  ++*(int*)context;
}

static void sources(void) {
  static const char* const kBad = "v_add_f32 v1\ns_frobnicate s0\n";
  static const char* const kOutside =
      "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, elsewhere@rel32@lo+4\n";
  lockstep_assemble_options o;
  void* bytes = &o;
  size_t size = 1;
  int messages = 0;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  o.name = "here.s";
  o.on_message = count_message;
  o.context = &messages;
  CHECK(lockstep_assemble("gfx1100", kBad, strlen(kBad), &o, &bytes, &size) ==
        LOCKSTEP_ERROR_INPUT);
  CHECK(!bytes && size == 0 && messages == 2);
  CHECK(strstr(lockstep_last_error(), "here.s:2:1") && strstr(lockstep_last_error(), "v_add_f32"));
  o.output = LOCKSTEP_ASSEMBLE_CODE;
  CHECK(lockstep_assemble("gfx1100", kOutside, strlen(kOutside), &o, &bytes, &size) ==
        LOCKSTEP_ERROR_INPUT);
  CHECK(strstr(lockstep_last_error(), "elsewhere"));
  o.struct_size = 4;
  CHECK(lockstep_assemble("gfx1100", "", 0, &o, &bytes, &size) == LOCKSTEP_ERROR_ARGUMENT);
  /* A code object that this library loads. */
  bytes = assemble(NULL,
                   ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1201\"\n.globl f\n.type f,@function\n"
                   "f:\n  s_endpgm\n.amdhsa_kernel f\n.amdhsa_next_free_vgpr 8\n"
                   ".amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n",
                   LOCKSTEP_ASSEMBLE_SHARED, &size);
  {
    lockstep_code_object* object = lockstep_code_object_load(bytes, size, NULL);
    CHECK(object && strcmp(lockstep_code_object_target(object), "gfx1201") == 0);
    lockstep_code_object_free(object);
  }
  lockstep_free(bytes);
  bytes = assemble("gfx942", "s_endpgm\n", LOCKSTEP_ASSEMBLE_RELOCATABLE, &size);
  CHECK(size > 64 && memcmp(bytes, "\177ELF", 4) == 0);
  lockstep_free(bytes);
}

static void stepping(void) {
  lockstep_workgroup* g = group_of("gfx1100",
                                   "v_mul_lo_u32 v1, v0, 3\n"
                                   "s_mov_b32 s4, 5\n"
                                   "loop:\n"
                                   "v_add_nc_u32 v1, s4, v1\n"
                                   "s_sub_u32 s4, s4, 1\n"
                                   "s_cmp_lg_u32 s4, 0\n"
                                   "s_cbranch_scc1 loop\n"
                                   "s_endpgm\n",
                                   1, 0);
  uint32_t v[32], s = 0, i;
  uint64_t ran = 0, value = 0;
  const uint64_t entry = lockstep_workgroup_entry(g);
  lockstep_snapshot* early;
  CHECK(lockstep_wave_get(g, 0, LOCKSTEP_STATE_EXEC, &value) == 0 && value == 0xffffffff);
  CHECK(lockstep_wave_step(g, 0, 1, &ran) == LOCKSTEP_WAVE_READY && ran == 1);
  CHECK(lockstep_wave_get(g, 0, LOCKSTEP_STATE_PC, &value) == 0 && value == entry + 8);
  CHECK(lockstep_wave_read(g, 0, LOCKSTEP_REGISTER_VGPR, 1, 1, v) == 0);
  for (i = 0; i < 32; ++i) CHECK(v[i] == 3 * i);
  early = lockstep_workgroup_save(g);
  CHECK(early);
  /* One lane, another start value: only that lane changes. */
  CHECK(lockstep_wave_set(g, 0, LOCKSTEP_STATE_EXEC, 1u << 7) == 0);
  v[7] = 1000;
  CHECK(lockstep_wave_write(g, 0, LOCKSTEP_REGISTER_VGPR, 1, 1, v) == 0);
  CHECK(lockstep_wave_step(g, 0, 6, &ran) == LOCKSTEP_WAVE_READY && ran == 6);
  CHECK(lockstep_wave_read(g, 0, LOCKSTEP_REGISTER_SCALAR, 4, 1, &s) == 0 && s == 4);
  CHECK(lockstep_workgroup_run(g, UINT64_MAX, &ran) == LOCKSTEP_WAVE_ENDED && ran == 16);
  CHECK(lockstep_wave_read(g, 0, LOCKSTEP_REGISTER_VGPR, 1, 1, v) == 0);
  for (i = 0; i < 32; ++i) CHECK(v[i] == (i == 7 ? 1015 : 3 * i));
  CHECK(lockstep_wave_step(g, 0, 1, &ran) == LOCKSTEP_WAVE_ENDED && ran == 0);
  /* Back to the snapshot: everything is as it was, and it can be used twice. */
  for (s = 0; s < 2; ++s) {
    CHECK(lockstep_workgroup_restore(g, early) == 0);
    CHECK(lockstep_wave_get(g, 0, LOCKSTEP_STATE_EXEC, &value) == 0 && value == 0xffffffff);
    CHECK(lockstep_workgroup_run(g, UINT64_MAX, &ran) == LOCKSTEP_WAVE_ENDED && ran == 22);
    CHECK(lockstep_wave_read(g, 0, LOCKSTEP_REGISTER_VGPR, 1, 1, v) == 0);
    for (i = 0; i < 32; ++i) CHECK(v[i] == 3 * i + 15);
  }
  lockstep_snapshot_free(early);
  lockstep_workgroup_free(g);
}

static void several_waves(void) {
  /* Each wave writes its LDS dword, and reads the other one's behind the barrier. s0 is the wave. */
  lockstep_workgroup* g = group_of("gfx1201",
                                   "v_mov_b32 v1, s0\n"
                                   "v_lshlrev_b32 v2, 2, v1\n"
                                   "v_add_nc_u32 v3, 100, v1\n"
                                   "ds_store_b32 v2, v3\n"
                                   "s_wait_dscnt 0\n"
                                   "s_barrier_signal -1\n"
                                   "s_barrier_wait -1\n"
                                   "v_xor_b32 v2, 4, v2\n"
                                   "ds_load_b32 v4, v2\n"
                                   "s_wait_dscnt 0\n"
                                   "s_endpgm\n",
                                   2, 64);
  uint32_t one = 1, v[32], w;
  uint64_t ran = 0;
  size_t size = 0;
  uint8_t* lds = lockstep_workgroup_lds(g, &size);
  CHECK(lds && size == 64);
  CHECK(lockstep_wave_write(g, 1, LOCKSTEP_REGISTER_SCALAR, 0, 1, &one) == 0);
  CHECK(lockstep_workgroup_run(g, 4, &ran) == LOCKSTEP_WAVE_READY && ran == 8);
  memcpy(&w, lds + 4, 4);
  CHECK(w == 101);
  CHECK(lockstep_workgroup_run(g, UINT64_MAX, NULL) == LOCKSTEP_WAVE_ENDED);
  for (w = 0; w < 2; ++w) {
    CHECK(lockstep_wave_read(g, w, LOCKSTEP_REGISTER_VGPR, 4, 1, v) == 0);
    CHECK(v[0] == 101 - w && v[31] == 101 - w);
  }
  lockstep_workgroup_free(g);
  g = group_of("gfx1201", "s_barrier_wait -1\ns_endpgm\n", 2, 0);
  CHECK(lockstep_workgroup_run(g, UINT64_MAX, NULL) == LOCKSTEP_ERROR_FAULT);
  CHECK(strstr(lockstep_last_error(), "deadlock"));
  lockstep_workgroup_free(g);
}

static void wrong_use(void) {
  lockstep_workgroup* g = group_of("cdna", "global_load_dword v1, v[2:3], off\ns_endpgm\n", 1, 0);
  lockstep_workgroup* other = group_of("cdna", "s_barrier\ns_endpgm\n", 1, 0);
  lockstep_snapshot* s = lockstep_workgroup_save(other);
  static const uint32_t kNop = 0xbf800000;
  uint32_t v[64] = {0};
  uint64_t value = 0;
  CHECK(lockstep_wave_step(g, 0, 1, NULL) == LOCKSTEP_ERROR_FAULT);
  CHECK(strstr(lockstep_last_error(), "global_load_dword"));
  CHECK(lockstep_wave_get(g, 0, LOCKSTEP_STATE_PC, &value) == 0);
  CHECK(value == lockstep_workgroup_entry(g));
  CHECK(lockstep_wave_step(g, 1, 1, NULL) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_wave_read(g, 0, LOCKSTEP_REGISTER_VGPR, 255, 2, v) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_wave_read(g, 0, 9, 0, 1, v) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_wave_write(g, 0, LOCKSTEP_REGISTER_SCALAR, 123, 2, v) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_wave_read(g, 0, LOCKSTEP_REGISTER_AGPR, 255, 1, v) == 0);
  CHECK(lockstep_wave_get(g, 0, 99, &value) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_wave_set(g, 0, LOCKSTEP_STATE_SCC, 2) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(!lockstep_workgroup_lds(g, NULL));
  CHECK(lockstep_workgroup_restore(g, s) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_workgroup_run(other, UINT64_MAX, NULL) == LOCKSTEP_WAVE_ENDED);
  CHECK(!lockstep_workgroup_create("gfx1100", &kNop, 3, NULL));
  CHECK(!lockstep_workgroup_create("gfx9999", &kNop, 4, NULL) && *lockstep_last_error());
  lockstep_snapshot_free(s);
  lockstep_workgroup_free(other);
  lockstep_workgroup_free(g);
}

int main(void) {
  lines();
  sources();
  stepping();
  several_waves();
  wrong_use();
  return 0;
}

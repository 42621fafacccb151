/* SPDX-License-Identifier: MIT
 * The disassembler of lockstep.h from plain C99. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/capi/lockstep.h"
#include "tests/capi/check.h"

/* v_add_f32_e32 v1, v2, v3; s_cbranch_scc1 -2; global_load_b64 v[2:3], v4, s[6:7] offset:8;
 * v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 1.0; s_endpgm */
static const uint8_t kCode[] = {0x02, 0x07, 0x02, 0x06, 0xfe, 0xff, 0xa2, 0xbf, 0x08, 0x00,
                                0x56, 0xdc, 0x04, 0x00, 0x06, 0x02, 0x01, 0x05, 0x10, 0xc8,
                                0xf2, 0x00, 0x02, 0x00, 0x00, 0x00, 0xb0, 0xbf};

static const lockstep_insn_operand* find(const lockstep_insn* insn, const char* role) {
  for (int i = 0; i < insn->operand_count; ++i)
    if (strcmp(insn->operands[i].role, role) == 0) return &insn->operands[i];
  return NULL;
}

static void iterate(const lockstep_disassembler* d) {
  static const char* kText[] = {"v_add_f32_e32 v1, v2, v3", "s_cbranch_scc1 65534",
                                "global_load_b64 v[2:3], v4, s[6:7] offset:8",
                                "v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 1.0", "s_endpgm"};
  const uint8_t* at = kCode;
  size_t left = sizeof kCode;
  uint64_t address = 0x1000;
  lockstep_insn insn;
  int n = 0, got;
  while ((got = lockstep_disasm_next(d, &at, &left, &address, &insn)) == 1) {
    CHECK(n < 5);
    CHECK(strcmp(insn.text, kText[n]) == 0);
    CHECK(insn.is_executed && !insn.is_data);
    ++n;
  }
  CHECK(got == 0 && n == 5 && left == 0 && address == 0x1000 + sizeof kCode);
}

static void details(const lockstep_disassembler* d) {
  lockstep_insn list[8];
  size_t count = 0;
  char text[16];
  CHECK(lockstep_disasm_many(d, kCode, sizeof kCode, 0x1000, list, 8, &count) == 0);
  CHECK(count == 5);
  CHECK(list[0].groups == LOCKSTEP_GROUP_VECTOR_ALU && list[0].size == 4);
  CHECK(strcmp(lockstep_row_name(list[0].id), "v_add_f32") == 0);
  CHECK(strcmp(lockstep_format_name(list[0].format), "VOP2") == 0);
  const lockstep_insn_operand* dst = find(&list[0], "dst");
  CHECK(dst && dst->kind == LOCKSTEP_OPERAND_VGPR && dst->reg == 1 &&
        dst->access == LOCKSTEP_WRITE);
  CHECK(dst->bits == 32 && strcmp(lockstep_type_name(dst->type), "F32") == 0);
  const lockstep_insn_operand* exec = find(&list[0], "exec");
  CHECK(exec && exec->is_implicit && exec->access == LOCKSTEP_READ);
  CHECK(exec->kind == LOCKSTEP_OPERAND_STATE && exec->reg == LOCKSTEP_STATE_EXEC);
  CHECK(list[1].has_target && list[1].target == 0x1000);
  CHECK(list[1].groups == (LOCKSTEP_GROUP_BRANCH | LOCKSTEP_GROUP_CONDITIONAL));
  CHECK(list[2].groups == (LOCKSTEP_GROUP_LOAD | LOCKSTEP_GROUP_VECTOR_MEMORY));
  const lockstep_insn_operand* data = find(&list[2], "dst");
  CHECK(data && data->count == 2 && data->bits == 64);
  CHECK(lockstep_register_text(d, data, text, sizeof text) == 6 && strcmp(text, "v[2:3]") == 0);
  CHECK(lockstep_register_text(d, data, text, 3) == 6 && strcmp(text, "v[") == 0);
  CHECK(lockstep_register_text(d, exec, NULL, 0) == 4);
  CHECK(list[3].second_id != 0xffffffff && find(&list[3], "dst")->access == LOCKSTEP_READ_WRITE);
  CHECK(list[4].groups == LOCKSTEP_GROUP_END);
  CHECK(strcmp(lockstep_group_name(LOCKSTEP_GROUP_SCALAR_MEMORY), "scalar-memory") == 0);
  CHECK(!lockstep_group_name(3) && !lockstep_group_name(0) && !lockstep_row_name(0xffffffff));
}

static void errors(const lockstep_disassembler* d) {
  static const uint8_t kBad[] = {0xef, 0xbe, 0xad, 0xde, 0, 0, 0, 0, 1};
  lockstep_insn insn;
  const uint8_t* at = kBad;
  size_t left = sizeof kBad, count = 9;
  uint64_t address = 0;
  CHECK(lockstep_disasm_one(d, kBad, sizeof kBad, 0, &insn) == LOCKSTEP_ERROR_INPUT);
  CHECK(strlen(lockstep_last_error()) > 0);
  CHECK(lockstep_disasm_next(d, &at, &left, &address, &insn) == LOCKSTEP_ERROR_INPUT);
  CHECK(at == kBad && left == sizeof kBad && address == 0);
  CHECK(lockstep_disasm_many(d, kBad, sizeof kBad, 0, &insn, 1, &count) == LOCKSTEP_ERROR_INPUT);
  CHECK(count == 0);
  CHECK(lockstep_disasm_one(NULL, kBad, 4, 0, &insn) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_disasm_one(d, NULL, 4, 0, &insn) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_disasm_one(d, kBad, 4, 0, NULL) == LOCKSTEP_ERROR_ARGUMENT);
  CHECK(lockstep_disasm_one(d, kCode, 3, 0, &insn) == LOCKSTEP_ERROR_INPUT);
  CHECK(!lockstep_disasm_open("gfx9999", NULL) && strstr(lockstep_last_error(), "gfx9999"));
  CHECK(!lockstep_disasm_open(NULL, NULL));
  lockstep_disasm_options options = {sizeof options, 32, 0, 0};
  CHECK(!lockstep_disasm_open("gfx942", &options));
  options.wave_size = 64;
  options.flags = 1u << 31;
  CHECK(!lockstep_disasm_open("gfx942", &options));
  options.struct_size = 1;
  CHECK(!lockstep_disasm_open("gfx942", &options));
}

static void options(void) {
  static const uint8_t kMixed[] = {0xef, 0xbe, 0xad, 0xde, 0x00, 0x00, 0xb0, 0xbf, 0x01};
  lockstep_disasm_options o = {sizeof o, 64, LOCKSTEP_DISASM_DATA, 0};
  lockstep_disassembler* d = lockstep_disasm_open("gfx1100", &o);
  CHECK(d);
  lockstep_insn list[4];
  size_t count = 0;
  CHECK(lockstep_disasm_many(d, kMixed, sizeof kMixed, 0, list, 4, &count) == 0 && count == 3);
  CHECK(list[0].is_data && strcmp(list[0].text, ".long 0xdeadbeef") == 0);
  CHECK(!list[1].is_data && list[2].is_data && strcmp(list[2].text, ".byte 0x01") == 0);
  lockstep_disasm_close(d);
  o.flags = LOCKSTEP_DISASM_NO_TEXT | LOCKSTEP_DISASM_NO_OPERANDS;
  d = lockstep_disasm_open("gfx1100", &o);
  CHECK(d && lockstep_disasm_one(d, kCode, sizeof kCode, 0, list) == 0);
  CHECK(list[0].size == 4 && list[0].text[0] == 0 && list[0].operand_count == 0);
  lockstep_disasm_close(d);
  lockstep_disasm_close(NULL);
}

/* One handle, several threads: each sees what a single thread sees. */
static void* decode_often(void* handle) {
  for (int round = 0; round < 500; ++round) iterate(handle);
  return NULL;
}

static void threads(lockstep_disassembler* d) {
  pthread_t thread[4];
  for (int i = 0; i < 4; ++i) CHECK(pthread_create(&thread[i], NULL, decode_often, d) == 0);
  for (int i = 0; i < 4; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
}

int main(void) {
  lockstep_disassembler* d = lockstep_disasm_open("gfx1100", NULL);
  CHECK(d);
  iterate(d);
  details(d);
  errors(d);
  threads(d);
  lockstep_disasm_close(d);
  options();
  puts("all checks hold");
  return 0;
}

// SPDX-License-Identifier: MIT
// Tables of register names per generation.
#include "mockgpu/pm4_registers.h"

#include <iterator>

namespace lockstep::mockgpu {
namespace {

constexpr uint8_t kGfx9 = 1, kGfx11 = 2, kGfx12 = 4;
constexpr uint8_t kRdna = kGfx11 | kGfx12, kAll = kGfx9 | kRdna;

struct Row {
  uint16_t first, last;
  uint8_t generations;
  const char* name;
};

constexpr Row kShRegisters[] = {
    {0x200, 0x200, kAll, "COMPUTE_DISPATCH_INITIATOR"},
    {0x201, 0x203, kAll, "COMPUTE_DIM_X..Z"},
    {0x204, 0x206, kAll, "COMPUTE_START_X..Z"},
    {0x207, 0x209, kAll, "COMPUTE_NUM_THREAD_X..Z"},
    {0x20a, 0x20a, kAll, "COMPUTE_PIPELINESTAT_ENABLE"},
    {0x20b, 0x20b, kAll, "COMPUTE_PERFCOUNT_ENABLE"},
    {0x20c, 0x20d, kAll, "COMPUTE_PGM_LO/HI"},
    {0x20e, 0x20f, kAll, "COMPUTE_DISPATCH_PKT_ADDR_LO/HI"},
    {0x210, 0x211, kAll, "COMPUTE_DISPATCH_SCRATCH_BASE_LO/HI"},
    {0x212, 0x213, kAll, "COMPUTE_PGM_RSRC1/2"},
    {0x214, 0x214, kAll, "COMPUTE_VMID"},
    {0x215, 0x215, kAll, "COMPUTE_RESOURCE_LIMITS"},
    {0x216, 0x217, kAll, "COMPUTE_STATIC_THREAD_MGMT_SE0/1"},
    {0x218, 0x218, kAll, "COMPUTE_TMPRING_SIZE"},
    {0x219, 0x21a, kAll, "COMPUTE_STATIC_THREAD_MGMT_SE2/3"},
    {0x21b, 0x21d, kAll, "COMPUTE_RESTART_X..Z"},
    {0x21e, 0x21e, kAll, "COMPUTE_THREAD_TRACE_ENABLE"},
    {0x21f, 0x21f, kAll, "COMPUTE_MISC_RESERVED"},
    {0x220, 0x220, kAll, "COMPUTE_DISPATCH_ID"},
    {0x221, 0x221, kAll, "COMPUTE_THREADGROUP_ID"},
    {0x222, 0x222, kGfx9, "COMPUTE_RELAUNCH"},
    {0x222, 0x222, kRdna, "COMPUTE_REQ_CTRL"},
    {0x223, 0x224, kGfx9, "COMPUTE_WAVE_RESTORE_ADDR_LO/HI"},
    {0x223, 0x223, kGfx12, "COMPUTE_STATIC_THREAD_MGMT_SE8"},
    {0x224, 0x227, kRdna, "COMPUTE_USER_ACCUM_0..3"},
    {0x227, 0x227, kGfx9, "COMPUTE_TG_CHUNK_SIZE"},
    {0x228, 0x228, kRdna, "COMPUTE_PGM_RSRC3"},
    {0x229, 0x229, kRdna, "COMPUTE_DDID_INDEX"},
    {0x22a, 0x22a, kRdna, "COMPUTE_SHADER_CHKSUM"},
    {0x22b, 0x22e, kRdna, "COMPUTE_STATIC_THREAD_MGMT_SE4..7"},
    {0x22c, 0x22c, kGfx9, "COMPUTE_SHADER_CHKSUM"},
    {0x22d, 0x22d, kGfx9, "COMPUTE_PGM_RSRC3"},
    {0x22f, 0x22f, kRdna, "COMPUTE_DISPATCH_INTERLEAVE"},
    {0x230, 0x230, kRdna, "COMPUTE_RELAUNCH"},
    {0x231, 0x232, kRdna, "COMPUTE_WAVE_RESTORE_ADDR_LO/HI"},
    {0x233, 0x233, kRdna, "COMPUTE_RELAUNCH2"},
    {0x235, 0x237, kGfx12, "COMPUTE_PRESCALED_DIM_X..Z"},
    {0x240, 0x24f, kAll, "COMPUTE_USER_DATA_0..15"},
    {0x27d, 0x27d, kRdna, "COMPUTE_DISPATCH_TUNNEL"},
    {0x27e, 0x27f, kAll, "COMPUTE_DISPATCH_END"},
};

constexpr Row kUconfigRegisters[] = {
    {0xc200, 0xc200, kAll, "GRBM_GFX_INDEX"},
};

uint8_t mask_of(isa::Generation generation) {
  switch (generation) {
    case isa::Generation::kGfx9:
      return kGfx9;
    case isa::Generation::kGfx11:
      return kGfx11;
    case isa::Generation::kGfx12:
      return kGfx12;
  }
  return 0;
}

template <size_t N>
const char* find(const Row (&table)[N], uint8_t mask, uint32_t number) {
  for (const Row& row : table) {
    if ((row.generations & mask) && number >= row.first && number <= row.last) return row.name;
  }
  return nullptr;
}

}  // namespace

uint32_t pgm_rsrc3_register(isa::Generation generation) {
  return generation == isa::Generation::kGfx9 ? 0x22d : 0x228;
}

const char* sh_register_name(isa::Generation generation, uint32_t offset) {
  return find(kShRegisters, mask_of(generation), offset);
}

const char* uconfig_register_name(uint32_t reg) { return find(kUconfigRegisters, kAll, reg); }

bool is_hdp_flush_pair(uint32_t request, uint32_t done) {
  return request == 0xe26 && done == 0xe27;
}

}  // namespace lockstep::mockgpu

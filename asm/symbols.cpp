// SPDX-License-Identifier: MIT
// Tables of symbolic names. Codes and names as llvm-mc knows them for each target.
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Isa;

constexpr Symbol kHwregGfx90a[] = {
    {1, "HW_REG_MODE"},    {2, "HW_REG_STATUS"},        {3, "HW_REG_TRAPSTS"},
    {4, "HW_REG_HW_ID"},   {5, "HW_REG_GPR_ALLOC"},     {6, "HW_REG_LDS_ALLOC"},
    {7, "HW_REG_IB_STS"},  {15, "HW_REG_SH_MEM_BASES"}, {16, "HW_REG_TBA_LO"},
    {17, "HW_REG_TBA_HI"}, {18, "HW_REG_TMA_LO"},       {19, "HW_REG_TMA_HI"},
};
constexpr Symbol kHwregGfx942[] = {
    {1, "HW_REG_MODE"},
    {2, "HW_REG_STATUS"},
    {3, "HW_REG_TRAPSTS"},
    {4, "HW_REG_HW_ID"},
    {5, "HW_REG_GPR_ALLOC"},
    {6, "HW_REG_LDS_ALLOC"},
    {7, "HW_REG_IB_STS"},
    {15, "HW_REG_SH_MEM_BASES"},
    {16, "HW_REG_TBA_LO"},
    {17, "HW_REG_TBA_HI"},
    {18, "HW_REG_TMA_LO"},
    {19, "HW_REG_TMA_HI"},
    {20, "HW_REG_XCC_ID"},
    {21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"},
    {22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"},
    {23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"},
    {24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"},
};
constexpr Symbol kHwregGfx11[] = {
    {1, "HW_REG_MODE"},
    {2, "HW_REG_STATUS"},
    {3, "HW_REG_TRAPSTS"},
    {5, "HW_REG_GPR_ALLOC"},
    {6, "HW_REG_LDS_ALLOC"},
    {7, "HW_REG_IB_STS"},
    {15, "HW_REG_SH_MEM_BASES"},
    {18, "HW_REG_PERF_SNAPSHOT_PC_LO"},
    {19, "HW_REG_PERF_SNAPSHOT_PC_HI"},
    {20, "HW_REG_FLAT_SCR_LO"},
    {21, "HW_REG_FLAT_SCR_HI"},
    {23, "HW_REG_HW_ID1"},
    {24, "HW_REG_HW_ID2"},
    {27, "HW_REG_PERF_SNAPSHOT_DATA"},
    {29, "HW_REG_SHADER_CYCLES"},
};
constexpr Symbol kHwregGfx12[] = {
    {1, "HW_REG_MODE"},
    {2, "HW_REG_STATUS"},
    {4, "HW_REG_STATE_PRIV"},
    {5, "HW_REG_GPR_ALLOC"},
    {6, "HW_REG_LDS_ALLOC"},
    {7, "HW_REG_IB_STS"},
    {10, "HW_REG_PERF_SNAPSHOT_DATA"},
    {11, "HW_REG_PERF_SNAPSHOT_PC_LO"},
    {12, "HW_REG_PERF_SNAPSHOT_PC_HI"},
    {15, "HW_REG_PERF_SNAPSHOT_DATA1"},
    {16, "HW_REG_PERF_SNAPSHOT_DATA2"},
    {17, "HW_REG_EXCP_FLAG_PRIV"},
    {18, "HW_REG_EXCP_FLAG_USER"},
    {19, "HW_REG_TRAP_CTRL"},
    {20, "HW_REG_SCRATCH_BASE_LO"},
    {21, "HW_REG_SCRATCH_BASE_HI"},
    {23, "HW_REG_HW_ID1"},
    {24, "HW_REG_HW_ID2"},
    {29, "HW_REG_SHADER_CYCLES_LO"},
    {30, "HW_REG_SHADER_CYCLES_HI"},
    {31, "HW_REG_DVGPR_ALLOC_LO"},
    {32, "HW_REG_DVGPR_ALLOC_HI"},
};
constexpr Symbol kBufferFormats[] = {
    {0, "BUF_FMT_INVALID"},
    {2, "BUF_FMT_8_SNORM"},
    {3, "BUF_FMT_8_USCALED"},
    {4, "BUF_FMT_8_SSCALED"},
    {5, "BUF_FMT_8_UINT"},
    {6, "BUF_FMT_8_SINT"},
    {7, "BUF_FMT_16_UNORM"},
    {8, "BUF_FMT_16_SNORM"},
    {9, "BUF_FMT_16_USCALED"},
    {10, "BUF_FMT_16_SSCALED"},
    {11, "BUF_FMT_16_UINT"},
    {12, "BUF_FMT_16_SINT"},
    {13, "BUF_FMT_16_FLOAT"},
    {14, "BUF_FMT_8_8_UNORM"},
    {15, "BUF_FMT_8_8_SNORM"},
    {16, "BUF_FMT_8_8_USCALED"},
    {17, "BUF_FMT_8_8_SSCALED"},
    {18, "BUF_FMT_8_8_UINT"},
    {19, "BUF_FMT_8_8_SINT"},
    {20, "BUF_FMT_32_UINT"},
    {21, "BUF_FMT_32_SINT"},
    {22, "BUF_FMT_32_FLOAT"},
    {23, "BUF_FMT_16_16_UNORM"},
    {24, "BUF_FMT_16_16_SNORM"},
    {25, "BUF_FMT_16_16_USCALED"},
    {26, "BUF_FMT_16_16_SSCALED"},
    {27, "BUF_FMT_16_16_UINT"},
    {28, "BUF_FMT_16_16_SINT"},
    {29, "BUF_FMT_16_16_FLOAT"},
    {30, "BUF_FMT_10_11_11_FLOAT"},
    {31, "BUF_FMT_11_11_10_FLOAT"},
    {32, "BUF_FMT_10_10_10_2_UNORM"},
    {33, "BUF_FMT_10_10_10_2_SNORM"},
    {34, "BUF_FMT_10_10_10_2_UINT"},
    {35, "BUF_FMT_10_10_10_2_SINT"},
    {36, "BUF_FMT_2_10_10_10_UNORM"},
    {37, "BUF_FMT_2_10_10_10_SNORM"},
    {38, "BUF_FMT_2_10_10_10_USCALED"},
    {39, "BUF_FMT_2_10_10_10_SSCALED"},
    {40, "BUF_FMT_2_10_10_10_UINT"},
    {41, "BUF_FMT_2_10_10_10_SINT"},
    {42, "BUF_FMT_8_8_8_8_UNORM"},
    {43, "BUF_FMT_8_8_8_8_SNORM"},
    {44, "BUF_FMT_8_8_8_8_USCALED"},
    {45, "BUF_FMT_8_8_8_8_SSCALED"},
    {46, "BUF_FMT_8_8_8_8_UINT"},
    {47, "BUF_FMT_8_8_8_8_SINT"},
    {48, "BUF_FMT_32_32_UINT"},
    {49, "BUF_FMT_32_32_SINT"},
    {50, "BUF_FMT_32_32_FLOAT"},
    {51, "BUF_FMT_16_16_16_16_UNORM"},
    {52, "BUF_FMT_16_16_16_16_SNORM"},
    {53, "BUF_FMT_16_16_16_16_USCALED"},
    {54, "BUF_FMT_16_16_16_16_SSCALED"},
    {55, "BUF_FMT_16_16_16_16_UINT"},
    {56, "BUF_FMT_16_16_16_16_SINT"},
    {57, "BUF_FMT_16_16_16_16_FLOAT"},
    {58, "BUF_FMT_32_32_32_UINT"},
    {59, "BUF_FMT_32_32_32_SINT"},
    {60, "BUF_FMT_32_32_32_FLOAT"},
    {61, "BUF_FMT_32_32_32_32_UINT"},
    {62, "BUF_FMT_32_32_32_32_SINT"},
    {63, "BUF_FMT_32_32_32_32_FLOAT"},
};
constexpr Symbol kDataFormats[] = {
    {0, "BUF_DATA_FORMAT_INVALID"},      {2, "BUF_DATA_FORMAT_16"},
    {3, "BUF_DATA_FORMAT_8_8"},          {4, "BUF_DATA_FORMAT_32"},
    {5, "BUF_DATA_FORMAT_16_16"},        {6, "BUF_DATA_FORMAT_10_11_11"},
    {7, "BUF_DATA_FORMAT_11_11_10"},     {8, "BUF_DATA_FORMAT_10_10_10_2"},
    {9, "BUF_DATA_FORMAT_2_10_10_10"},   {10, "BUF_DATA_FORMAT_8_8_8_8"},
    {11, "BUF_DATA_FORMAT_32_32"},       {12, "BUF_DATA_FORMAT_16_16_16_16"},
    {13, "BUF_DATA_FORMAT_32_32_32"},    {14, "BUF_DATA_FORMAT_32_32_32_32"},
    {15, "BUF_DATA_FORMAT_RESERVED_15"},
};
constexpr Symbol kNumberFormats[] = {
    {1, "BUF_NUM_FORMAT_SNORM"}, {2, "BUF_NUM_FORMAT_USCALED"}, {3, "BUF_NUM_FORMAT_SSCALED"},
    {4, "BUF_NUM_FORMAT_UINT"},  {5, "BUF_NUM_FORMAT_SINT"},    {6, "BUF_NUM_FORMAT_RESERVED_6"},
    {7, "BUF_NUM_FORMAT_FLOAT"},
};

constexpr Symbol kMessagesGfx9[] = {
    {1, "MSG_INTERRUPT"},       {2, "MSG_GS"},
    {3, "MSG_GS_DONE"},         {4, "MSG_SAVEWAVE"},
    {5, "MSG_STALL_WAVE_GEN"},  {6, "MSG_HALT_WAVES"},
    {7, "MSG_ORDERED_PS_DONE"}, {8, "MSG_EARLY_PRIM_DEALLOC"},
    {9, "MSG_GS_ALLOC_REQ"},    {10, "MSG_GET_DOORBELL"},
    {15, "MSG_SYSMSG"},
};
constexpr Symbol kMessagesGfx11[] = {
    {1, "MSG_INTERRUPT"},           {2, "MSG_HS_TESSFACTOR"},   {3, "MSG_DEALLOC_VGPRS"},
    {5, "MSG_STALL_WAVE_GEN"},      {6, "MSG_HALT_WAVES"},      {9, "MSG_GS_ALLOC_REQ"},
    {128, "MSG_RTN_GET_DOORBELL"},  {129, "MSG_RTN_GET_DDID"},  {130, "MSG_RTN_GET_TMA"},
    {131, "MSG_RTN_GET_REALTIME"},  {132, "MSG_RTN_SAVE_WAVE"}, {133, "MSG_RTN_GET_TBA"},
    {134, "MSG_RTN_GET_TBA_TO_PC"},
};
constexpr Symbol kMessagesGfx12[] = {
    {1, "MSG_INTERRUPT"},     {2, "MSG_HS_TESSFACTOR"},       {3, "MSG_DEALLOC_VGPRS"},
    {9, "MSG_GS_ALLOC_REQ"},  {128, "MSG_RTN_GET_DOORBELL"},  {129, "MSG_RTN_GET_DDID"},
    {130, "MSG_RTN_GET_TMA"}, {131, "MSG_RTN_GET_REALTIME"},  {132, "MSG_RTN_SAVE_WAVE"},
    {133, "MSG_RTN_GET_TBA"}, {134, "MSG_RTN_GET_TBA_TO_PC"}, {135, "MSG_RTN_GET_SE_AID_ID"},
};
constexpr Symbol kGsOperations[] = {
    {0, "GS_OP_NOP"}, {1, "GS_OP_CUT"}, {2, "GS_OP_EMIT"}, {3, "GS_OP_EMIT_CUT"}};
constexpr Symbol kSystemOperations[] = {
    {1, "SYSMSG_OP_ECC_ERR_INTERRUPT"}, {2, "SYSMSG_OP_REG_RD"}, {4, "SYSMSG_OP_TTRACE_PC"}};

constexpr CounterField kWaitGfx9[] = {{"vmcnt", 0, 4, 14, 2}, {"expcnt", 4, 3}, {"lgkmcnt", 8, 4}};
constexpr CounterField kWaitGfx11[] = {{"vmcnt", 10, 6}, {"expcnt", 0, 3}, {"lgkmcnt", 4, 6}};
constexpr CounterField kDepctr[] = {
    {"depctr_hold_cnt", 7, 1}, {"depctr_sa_sdst", 0, 1}, {"depctr_va_vdst", 12, 4},
    {"depctr_va_sdst", 9, 3},  {"depctr_va_ssrc", 8, 1}, {"depctr_va_vcc", 1, 1},
    {"depctr_vm_vsrc", 2, 3},
};
constexpr Symbol kVersions[] = {{0, "UC_VERSION_GFX7"},
                                {4, "UC_VERSION_GFX10"},
                                {6, "UC_VERSION_GFX11"},
                                {9, "UC_VERSION_GFX12"}};

}  // namespace

std::span<const Symbol> hwreg_symbols(Isa isa) {
  switch (isa) {
    case Isa::kGfx90a:
      return kHwregGfx90a;
    case Isa::kGfx942:
    case Isa::kGfx950:
      return kHwregGfx942;
    case Isa::kGfx11:
    case Isa::kGfx115:
      return kHwregGfx11;
    case Isa::kGfx12:
      return kHwregGfx12;
  }
  return {};
}

std::span<const Symbol> message_symbols(Isa isa) {
  switch (isa::generation_of(isa)) {
    case isa::Generation::kGfx9:
      return kMessagesGfx9;
    case isa::Generation::kGfx11:
      return kMessagesGfx11;
    case isa::Generation::kGfx12:
      return kMessagesGfx12;
  }
  return {};
}

std::span<const Symbol> gs_operation_symbols() { return kGsOperations; }
std::span<const Symbol> system_operation_symbols() { return kSystemOperations; }
std::span<const Symbol> buffer_format_symbols() { return kBufferFormats; }
std::span<const Symbol> data_format_symbols() { return kDataFormats; }
std::span<const Symbol> number_format_symbols() { return kNumberFormats; }
std::span<const Symbol> version_symbols() { return kVersions; }

std::string_view find_symbol(std::span<const Symbol> table, unsigned code) {
  for (const Symbol& s : table)
    if (s.code == code) return s.name;
  return {};
}

std::optional<uint16_t> find_code(std::span<const Symbol> table, std::string_view name) {
  for (const Symbol& s : table)
    if (s.name == name) return s.code;
  return std::nullopt;
}

unsigned CounterField::get(unsigned value) const {
  return (value >> low & ((1u << width) - 1)) | (value >> low2 & ((1u << width2) - 1)) << width;
}

unsigned CounterField::place(unsigned count) const {
  return (count & ((1u << width) - 1)) << low | (count >> width & ((1u << width2) - 1)) << low2;
}

std::span<const CounterField> waitcnt_fields(Isa isa) {
  if (isa::generation_of(isa) == isa::Generation::kGfx9) return kWaitGfx9;
  return kWaitGfx11;
}

std::span<const CounterField> depctr_fields(Isa) { return kDepctr; }

}  // namespace lockstep::asm_

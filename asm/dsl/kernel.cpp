// SPDX-License-Identifier: MIT
// A kernel as assembler source: its code as data, its descriptor and metadata as directives.
#include "asm/dsl/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "asm/source.h"

namespace lockstep::dsl {
namespace {

constexpr uint32_t kCodeAlignment = 8;  // as a power of two: 256 bytes
constexpr uint32_t kDescriptorAlignment = 6;

bool is_gfx12(isa::Target target) {
  return isa::target_info(target).generation == isa::Generation::kGfx12;
}
bool is_gfx9(isa::Target target) {
  return isa::target_info(target).generation == isa::Generation::kGfx9;
}

}  // namespace

KernelBuilder::KernelBuilder(isa::Target target, std::string name, unsigned wave_size)
    : Program(target, wave_size), name_(std::move(name)) {}

Argument KernelBuilder::add_argument(std::string name, uint32_t size, bool is_pointer) {
  kernarg_size_ = (kernarg_size_ + size - 1) / size * size;
  arguments_.push_back({std::move(name), kernarg_size_, size, is_pointer});
  kernarg_size_ += size;
  return arguments_.back();
}

uint32_t KernelBuilder::lds(uint32_t bytes) {
  constexpr uint32_t kAlignment = 16;
  const uint32_t start = (lds_ + kAlignment - 1) / kAlignment * kAlignment;
  lds_ = start + bytes;
  return start;
}

void KernelBuilder::load_argument(ArgumentRegisters to, const Argument& argument, Where where) {
  constexpr uint32_t kWide = 8;
  // The type of `to` says how many registers there are; the operation says how many it must be.
  add(argument.size == kWide ? isa::Op::s_load_b64 : isa::Op::s_load_b32,
      {to, Arg<kAnything>(kernarg()), Arg<kAnything>(argument.offset)}, where);
}

void KernelBuilder::group_id(S<1> to, int dimension, Where where) {
  constexpr int kFirst = 2;  // behind the two of kernarg()
  if (!is_gfx12(target())) {
    s_mov_b32(to, s[kFirst + dimension], where);
  } else if (dimension == 0) {
    s_mov_b32(to, ttmp[9], where);
  } else if (dimension == 1) {
    s_and_b32(to, ttmp[7], 0xffff, where);
  } else {
    s_lshr_b32(to, ttmp[7], 16, where);
  }
}

void KernelBuilder::local_id(V<1> to, int dimension, Where where) {
  constexpr int kBits = 10;
  v_bfe_u32(to, v[0], kBits * dimension, kBits, where);
}

void KernelBuilder::wait_all(Where where) {
  if (is_gfx12(target())) {
    s_wait_loadcnt(0, where);
    s_wait_storecnt(0, where);
    s_wait_dscnt(0, where);
    s_wait_kmcnt(0, where);
    return;
  }
  s_waitcnt(vmcnt(0) & lgkmcnt(0), where);
  if (!is_gfx9(target())) s_waitcnt_vscnt(null, 0, where);
}

void KernelBuilder::barrier(Where where) {
  wait_all(where);
  if (is_gfx12(target())) {
    s_barrier_signal(-1, where);
    s_barrier_wait(-1, where);
  } else {
    s_barrier(where);
  }
}

std::string KernelBuilder::descriptor() const {
  const RegisterUse use = register_use();
  const isa::TargetInfo& info = isa::target_info(target());
  // The hardware writes ids into registers whether the program reads them or not.
  const unsigned sgprs = std::max(use.sgprs, unsigned{kFirstFreeSgpr});
  std::string text = fmt::format(".amdhsa_kernel {}\n", name_);
  const auto set = [&](std::string_view key, uint64_t value) {
    text += fmt::format("  .amdhsa_{} {}\n", key, value);
  };
  set("group_segment_fixed_size", lds_);
  set("private_segment_fixed_size", scratch_);
  set("kernarg_size", kernarg_size_);
  set("user_sgpr_count", 2);
  set("user_sgpr_kernarg_segment_ptr", 1);
  for (const char* dimension : {"x", "y", "z"})
    set(fmt::format("system_sgpr_workgroup_id_{}", dimension), 1);
  set("system_vgpr_workitem_id", 2);
  if (scratch_)
    set(info.generation == isa::Generation::kGfx9 && info.isa != isa::Isa::kGfx942 &&
                info.isa != isa::Isa::kGfx950
            ? "system_sgpr_private_segment_wavefront_offset"
            : "enable_private_segment",
        1);
  if (is_gfx9(target())) {
    // ACCVGPRs follow the VGPRs at a multiple of four.
    const unsigned offset = std::max(4u, (use.vgprs + 3) / 4 * 4);
    set("accum_offset", offset);
    set("next_free_vgpr", use.agprs ? offset + use.agprs : std::max(use.vgprs, 1u));
  } else {
    set("wavefront_size32", wave_size() == 32);
    set("next_free_vgpr", std::max(use.vgprs, 1u));
  }
  set("next_free_sgpr", sgprs);
  return text + ".end_amdhsa_kernel\n";
}

std::string KernelBuilder::metadata() const {
  const RegisterUse use = register_use();
  std::string text = fmt::format(
      ".amdgpu_metadata\n---\namdhsa.version:\n  - 1\n  - 2\namdhsa.target: "
      "amdgcn-amd-amdhsa--{8}\namdhsa.kernels:\n  - .name: {0}\n"
      "    .symbol: {0}.kd\n    .kernarg_segment_size: {1}\n    .kernarg_segment_align: 8\n"
      "    .group_segment_fixed_size: {2}\n    .private_segment_fixed_size: {3}\n"
      "    .wavefront_size: {4}\n    .sgpr_count: {5}\n    .vgpr_count: {6}\n"
      "    .max_flat_workgroup_size: {7}\n",
      name_, kernarg_size_, lds_, scratch_, wave_size(),
      std::max(use.sgprs, unsigned{kFirstFreeSgpr}), std::max(use.vgprs, 1u), max_workgroup_,
      isa::target_info(target()).name);
  if (use.agprs) text += fmt::format("    .agpr_count: {}\n", use.agprs);
  if (!arguments_.empty()) text += "    .args:\n";
  for (const Argument& a : arguments_) {
    text += fmt::format("      - .name: {}\n        .offset: {}\n        .size: {}\n", a.name,
                        a.offset, a.size);
    text += a.is_pointer ? "        .value_kind: global_buffer\n        .address_space: global\n"
                         : "        .value_kind: by_value\n";
  }
  return text + "...\n.end_amdgpu_metadata\n";
}

Result<std::string> KernelBuilder::source() const {
  const auto code = assemble();
  if (!code) return Error{fmt::format("kernel {}: {}", name_, code.error())};
  std::string text = fmt::format(
      ".amdgcn_target \"amdgcn-amd-amdhsa--{1}\"\n.text\n.protected {0}\n.globl {0}\n"
      ".p2align {2}\n.type {0},@function\n{0}:\n",
      name_, isa::target_info(target()).name, kCodeAlignment);
  for (size_t at = 0; at < code->size(); at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, code->data() + at, sizeof word);
    text += fmt::format("  .long 0x{:08x}\n", word);
  }
  text += fmt::format(".L{0}_end:\n.size {0}, .L{0}_end-{0}\n.rodata\n.p2align {1}\n", name_,
                      kDescriptorAlignment);
  return text + descriptor() + metadata();
}

Result<std::vector<uint8_t>> KernelBuilder::code_object() const {
  const auto text = source();
  if (!text) return Error{text.error()};
  asm_::SourceOptions options;
  options.target = target();
  options.wave_size = wave_size();
  const asm_::AssembledSource result = asm_::assemble_source(*text, name_, options);
  if (!result.ok)
    return Error{fmt::format("kernel {}: {}", name_,
                             result.diagnostics.empty() ? "it cannot be assembled"
                                                        : result.diagnostics.front().message)};
  return asm_::link_shared(result.object);
}

}  // namespace lockstep::dsl

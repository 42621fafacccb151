// SPDX-License-Identifier: MIT
// The AMDGPU metadata note (MessagePack): arguments and resource numbers of each kernel, for hosts
// and tools.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"

namespace lockstep::loader {

enum class ArgKind : uint8_t {
  kByValue,
  kGlobalBuffer,
  kDynamicSharedPointer,
  kSampler,
  kImage,
  kPipe,
  kQueue,
  kHiddenGlobalOffsetX,
  kHiddenGlobalOffsetY,
  kHiddenGlobalOffsetZ,
  kHiddenNone,
  kHiddenPrintfBuffer,
  kHiddenHostcallBuffer,
  kHiddenDefaultQueue,
  kHiddenCompletionAction,
  kHiddenMultigridSyncArg,
  kHiddenHeapV1,
  kHiddenBlockCountX,
  kHiddenBlockCountY,
  kHiddenBlockCountZ,
  kHiddenGroupSizeX,
  kHiddenGroupSizeY,
  kHiddenGroupSizeZ,
  kHiddenRemainderX,
  kHiddenRemainderY,
  kHiddenRemainderZ,
  kHiddenGridDims,
  kHiddenDynamicLdsSize,
  kHiddenPrivateBase,
  kHiddenSharedBase,
  kHiddenQueuePtr,
  kUnknown,  ///< newer than this list; KernelArg::value_kind has the text
};

struct KernelArg {
  uint32_t offset = 0;  ///< bytes from the start of the kernarg segment
  uint32_t size = 0;    ///< bytes
  ArgKind kind = ArgKind::kUnknown;
  std::string value_kind;     ///< as written: "global_buffer"
  std::string name;           ///< as in the source; often absent
  std::string type_name;      ///< "float*"
  std::string address_space;  ///< "global", "constant", "local", ...; empty if absent
  std::string access;         ///< "read_only", ... as declared; empty if absent
  std::string actual_access;
  uint32_t pointee_align = 0;  ///< dynamic_shared_pointer: alignment of the LDS block; else 0
  bool is_const = false;
  bool is_restrict = false;
  bool is_volatile = false;
  bool is_pipe = false;

  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

struct KernelMetadata {
  std::string name;    ///< source name
  std::string symbol;  ///< "name.kd"
  std::string language;
  std::vector<uint32_t> language_version;
  std::string kind;  ///< "normal", "init", "fini"; empty if absent
  std::vector<KernelArg> args;
  uint32_t kernarg_segment_size = 0;
  uint32_t kernarg_segment_align = 0;
  uint32_t group_segment_fixed_size = 0;
  uint32_t private_segment_fixed_size = 0;
  uint32_t wavefront_size = 0;
  uint32_t sgpr_count = 0;
  uint32_t vgpr_count = 0;
  uint32_t agpr_count = 0;
  uint32_t sgpr_spill_count = 0;
  uint32_t vgpr_spill_count = 0;
  uint32_t max_flat_workgroup_size = 0;
  std::optional<std::array<uint32_t, 3>> reqd_workgroup_size;
  std::optional<std::array<uint32_t, 3>> workgroup_size_hint;
  std::string vec_type_hint;
  std::string device_enqueue_symbol;
  bool uses_dynamic_stack = false;
  bool workgroup_processor_mode = false;
  bool uniform_work_group_size = false;
};

struct Metadata {
  uint32_t version_major = 0;
  uint32_t version_minor = 0;
  std::string target;  ///< "amdgcn-amd-amdhsa--gfx1100"; empty in V3
  std::vector<std::string> printf_formats;
  std::vector<KernelMetadata> kernels;
};

/// Parses the note's descriptor. Errors say where in the note, which kernel and which key. Unknown
/// keys are ignored: the format grows by new keys.
Result<Metadata> parse_metadata(std::span<const uint8_t> note);

ArgKind find_arg_kind(std::string_view value_kind);

}  // namespace lockstep::loader

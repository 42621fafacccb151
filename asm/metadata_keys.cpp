// SPDX-License-Identifier: MIT
// Keys as the code object ABI lists them, versions 3 to 6.
#include "asm/metadata_keys.h"

namespace lockstep::asm_ {
namespace {

using enum ValueKind;

constexpr MetadataKey kArgumentKeys[] = {
    {".name", kText},
    {".type_name", kText},
    {".size", kNumber, true},
    {".offset", kNumber, true},
    {".value_kind", kText, true},
    {".value_type", kText},
    {".pointee_align", kNumber},
    {".address_space", kText},
    {".access", kText},
    {".actual_access", kText},
    {".is_const", kTruth},
    {".is_restrict", kTruth},
    {".is_volatile", kTruth},
    {".is_pipe", kTruth},
};

constexpr MetadataKey kKernelKeys[] = {
    {".name", kText, true},
    {".symbol", kText, true},
    {".language", kText},
    {".language_version", kNumbers},
    {".args", kMaps, false, kArgumentKeys},
    {".reqd_workgroup_size", kNumbers},
    {".workgroup_size_hint", kNumbers},
    {".vec_type_hint", kText},
    {".device_enqueue_symbol", kText},
    {".kernarg_segment_size", kNumber, true},
    {".group_segment_fixed_size", kNumber, true},
    {".private_segment_fixed_size", kNumber, true},
    {".uses_dynamic_stack", kTruth},
    {".workgroup_processor_mode", kTruth},
    {".kernarg_segment_align", kNumber, true},
    {".wavefront_size", kNumber, true},
    {".sgpr_count", kNumber, true},
    {".vgpr_count", kNumber, true},
    {".agpr_count", kNumber},
    {".max_flat_workgroup_size", kNumber, true},
    {".sgpr_spill_count", kNumber},
    {".vgpr_spill_count", kNumber},
    {".uniform_work_group_size", kNumber},
    {".cluster_dims", kNumbers},
    {".kind", kText},
};

constexpr MetadataKey kKeys[] = {
    {"amdhsa.version", kNumbers, true},
    {"amdhsa.target", kText},
    {"amdhsa.printf", kTexts},
    {"amdhsa.kernels", kMaps, true, kKernelKeys},
};

}  // namespace

std::span<const MetadataKey> metadata_keys() { return kKeys; }

}  // namespace lockstep::asm_

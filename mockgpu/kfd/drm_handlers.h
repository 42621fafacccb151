// SPDX-License-Identifier: MIT
// One function a DRM ioctl of a render node. Arguments are already copied in; what they leave there is
// copied out.
#pragma once
#include <libdrm/amdgpu_drm.h>

#include "mockgpu/process.h"

namespace lockstep::mockgpu::drm {

/// Where an ioctl was made.
struct Node {
  Process& process;
  Device& device;
};

// drm_info.cpp
int version(Node node, drm_version& args);
int get_cap(Node node, drm_get_cap& args);
int amdgpu_info(Node node, drm_amdgpu_info& args);

// drm_gem.cpp
int gem_close(Node node, drm_gem_close& args);
int prime_handle_to_fd(Node node, drm_prime_handle& args);
int prime_fd_to_handle(Node node, drm_prime_handle& args);
int gem_create(Node node, drm_amdgpu_gem_create& args);
int gem_mmap(Node node, drm_amdgpu_gem_mmap& args);
int gem_metadata(Node node, drm_amdgpu_gem_metadata& args);
int gem_wait_idle(Node node, drm_amdgpu_gem_wait_idle& args);
int gem_va(Node node, drm_amdgpu_gem_va& args);
int gem_op(Node node, drm_amdgpu_gem_op& args);

}  // namespace lockstep::mockgpu::drm

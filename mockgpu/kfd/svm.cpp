// SPDX-License-Identifier: MIT
// The KFD ioctl for shared virtual memory; its arguments are as long as the list of attributes.
#include <cerrno>
#include <cstddef>

#include "mockgpu/kfd/handlers.h"

namespace lockstep::mockgpu::kfd {

int svm(Process& process, SvmArgs& args, size_t user_size) {
  const size_t room = user_size < offsetof(SvmArgs, attributes)
                          ? 0
                          : (user_size - offsetof(SvmArgs, attributes)) / sizeof args.attributes[0];
  if (args.nattr > room) return -EINVAL;
  const std::span attributes(args.attributes, args.nattr);
  switch (args.op) {
    case KFD_IOCTL_SVM_OP_SET_ATTR:
      return process.svm().set(args.start_addr, args.size, attributes);
    case KFD_IOCTL_SVM_OP_GET_ATTR:
      return process.svm().get(args.start_addr, args.size, attributes);
    default:
      return -EINVAL;
  }
}

}  // namespace lockstep::mockgpu::kfd

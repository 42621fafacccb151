// SPDX-License-Identifier: MIT
// Listeners behind socket pairs.
#include "mockgpu/smi_events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kfd_ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace lockstep::mockgpu {

SmiEvents::~SmiEvents() {
  for (const Listener& listener : listeners_) close(listener.fd);
}

int SmiEvents::open(uint32_t gpu_id) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) return -errno;
  fcntl(ends[0], F_SETFD, 0);  // the driver's descriptor stays open over exec
  const std::lock_guard lock(mutex_);
  listeners_.push_back({gpu_id, ends[1]});
  return ends[0];
}

bool SmiEvents::update(Listener& listener) {
  while (true) {
    uint64_t mask;
    const ssize_t got = recv(listener.fd, &mask, sizeof mask, MSG_DONTWAIT);
    if (got == static_cast<ssize_t>(sizeof mask)) {
      listener.mask = mask;
    } else if (got == 0) {
      return false;
    } else if (got < 0 && errno != EINTR) {
      return errno == EAGAIN;
    }
  }
}

void SmiEvents::send(uint32_t gpu_id, uint32_t event, std::string_view data) {
  const std::string line = fmt::format("{:x} {}\n", event, data);
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [&](Listener& listener) {
    bool there = update(listener);
    if (there && listener.gpu_id == gpu_id &&
        (listener.mask & KFD_SMI_EVENT_MASK_FROM_INDEX(event))) {
      // A line is small: it goes in whole or, when the listener has let its buffer fill, not at all.
      there = ::send(listener.fd, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
              errno == EAGAIN;
    }
    if (!there) close(listener.fd);
    return !there;
  });
}

}  // namespace lockstep::mockgpu

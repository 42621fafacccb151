// SPDX-License-Identifier: MIT
// The preload library's one global: the emulated machine of this process, made when first touched.
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "mockgpu/process.h"
#include "mockgpu/topology.h"

namespace lockstep::mockgpu {

/// What a path means to the interposer.
struct Node {
  enum class Kind : uint8_t { kOther, kKfd, kRender, kTree };
  Kind kind = Kind::kOther;
  size_t device = 0;      ///< kRender
  std::string tree_path;  ///< kTree: where to look instead; may not exist there
};

class Session {
 public:
  /// The session of this process; made now if there is none. Bad LOCKSTEP_* variables end the
  /// process with status 2.
  static Session& get();
  /// The session if the program has touched the emulated machine, else nullptr.
  static Session* existing();
  /// True for descriptors that a parent opened before fork: the driver refuses them in the child.
  static bool is_foreign(int fd);
  /// Report, threads and tree; called once when the process ends.
  static void end();

  /// The device state; made on the first open of a device node.
  Process& process();
  Process* existing_process();
  Node resolve_device(std::string_view path) const;
  const Topology& topology() const { return topology_; }

 private:
  Session(Options options, Topology topology)
      : options_(std::move(options)), topology_(std::move(topology)) {}
  static Session* create();
  static void after_fork_in_child();
  static void install_fork_handlers();

  const pid_t owner_ = getpid();  ///< the process that made this session
  Options options_;
  Topology topology_;
  std::unique_ptr<Process> process_;
};

/// Classifies a path; makes the session only if the path is one of ours.
Node resolve(const char* path);

}  // namespace lockstep::mockgpu

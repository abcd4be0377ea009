#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/launcher.h"

namespace tessera::net {

/// MPI from its start to its end. A process can have it once.
///
/// Threads: the one that makes it alone calls MPI, then and later.
class Session {
 public:
  /// Starts MPI. Errors: `unsupported` if it does not find the launcher's processes.
  explicit Session(const Launcher& launcher);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int32_t process() const { return process_; }
  int32_t num_processes() const { return num_processes_; }
  const std::vector<std::string>& hosts() const { return hosts_; }  // of every process

  /// Ends MPI, after waiting for all other processes to do so too. Without this call, MPI is
  /// abandoned.
  void end();

 private:
  void check(const Launcher& launcher) const;
  void find_hosts();

  int process_ = 0;
  int num_processes_ = 0;
  std::vector<std::string> hosts_;
};

}  // namespace tessera::net

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tessera::net {

/// The environment of a process: returns the value of a variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Returns the environment of this process. Threads: while none changes it.
Environment environment_of_process();

/// The launcher that started this process with others, as far as the environment tells.
struct Launcher {
  std::string name;                      // "mpirun", for messages
  std::optional<int32_t> num_processes;  // nothing if only MPI knows
  std::optional<int32_t> num_on_host;    // of them on this host
};

/// Returns the launcher of this process; nothing if it runs alone: without one, or as its only
/// process.
///
/// Recognises Open MPI's mpirun, Slurm's srun, and launchers that speak PMI or PMIx. A shell in a
/// Slurm allocation, or a script that runs there, knows how many tasks its job may have but is none
/// of them: only a step's own count is used.
std::optional<Launcher> launcher_of(const Environment& environment);

}  // namespace tessera::net

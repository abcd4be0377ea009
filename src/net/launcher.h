#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tessera::net {

/// What a process's environment says of a variable; null where it is not set.
using Environment = std::function<const char*(const char* name)>;

/// The environment of this process. Threads: while none changes it.
Environment environment_of_process();

/// Who started this process together with others, as the environment tells.
struct Launcher {
  std::string name;                      // "mpirun", as messages say it
  std::optional<int32_t> num_processes;  // nothing where only MPI knows
  std::optional<int32_t> num_on_host;    // of them on this host
};

/// The launcher of this process; nothing where it runs alone: without one, or as its only process.
///
/// Open MPI's mpirun, Slurm's srun, and those that speak PMI or PMIx. A shell that Slurm gave nodes
/// to, or a script that it runs there, knows how many tasks its job may have and is none of them:
/// only a step's own count is asked for.
std::optional<Launcher> launcher_of(const Environment& environment);

}  // namespace tessera::net

#pragma once

#include <cstdint>
#include <vector>

#include "simulate/cluster.h"
#include "simulate/player.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// The periods of all activities, and the memory they used.
struct Played {
  std::vector<Period> periods;       // of every activity
  std::vector<int64_t> peak_bytes;   // of every site
  std::vector<int64_t> paged_bytes;  // of every site: written for lack of memory, and read again
  double makespan() const;
};

/// Plays a workload on a cluster under SimGrid: the same workload and cluster give the same times.
///
/// SimGrid allows one simulation a process and ends the process on errors, so it runs in a child
/// process, which alone loads it. REQUIRES a site of the cluster for each of the workload. Errors:
/// `unsupported` if the library is not installed; `resource` if the system cannot start a process.
Played play(const Workload& workload, const Cluster& cluster);

}  // namespace tessera::simulate

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/bounds.h"
#include "simulate/cluster.h"
#include "simulate/play.h"
#include "simulate/workload.h"

namespace tessera::simulate {

constexpr size_t kNumActivityKinds = 5;

/// What a site did, in seconds and bytes.
struct SiteFigures {
  int64_t num_activities = 0;  // that its cores ran
  /// That its tasks had of cores and disks, by kind; of moves what cores took to send and receive.
  std::array<double, kNumActivityKinds> busy_seconds{};
  double core_seconds = 0;  // that its cores worked, waiting for no disk
  double bytes_in = 0;
  double bytes_out = 0;
  int64_t peak_bytes = 0;
  int64_t paged_bytes = 0;  // written for want of memory, and read again
};

/// The chain of activities that ended last, each of which the next waited for.
struct CriticalPath {
  std::vector<ActivityId> activities;               // in the order of time
  std::array<double, kNumActivityKinds> seconds{};  // of these, by kind
  double slowed_seconds = 0;            // that computing took longer than its cores' work:
                                        // moves had a share of them, or memory was paged
  double waiting_for_core_seconds = 0;  // between them, while others had the cores
  double waiting_for_link_seconds =
      0;  // while its two sites had as many moves as they take at once
};

/// A workload, played.
struct Simulation {
  Played played;
  double makespan = 0;
  double moved_bytes = 0;
  int64_t num_moves = 0;
  std::vector<SiteFigures> sites;
  CriticalPath critical_path;
  Bounds bounds;
};

/// Plays a workload on a cluster and adds it up. Errors: those of play().
Simulation simulate(const Workload& workload, const Cluster& cluster);

/// Adds what is played when all of a simulation has ended: `after` on the same cluster, whose
/// activities follow those of `whole` in number.
void append(Simulation& whole, const Simulation& after);

}  // namespace tessera::simulate

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

/// The work of a site, in seconds and bytes.
struct SiteFigures {
  int64_t num_activities = 0;  // that ran on its cores
  /// Seconds of cores and disks by kind; for moves, of cores to send and receive.
  std::array<double, kNumActivityKinds> busy_seconds{};
  double core_seconds = 0;  // of its cores, without waiting for disks
  double bytes_in = 0;
  double bytes_out = 0;
  int64_t peak_bytes = 0;
  int64_t paged_bytes = 0;  // written for lack of memory, and read again
};

/// The chain of activities that ended last, each of which the next waited for.
struct CriticalPath {
  std::vector<ActivityId> activities;               // in the order of time
  std::array<double, kNumActivityKinds> seconds{};  // of these, by kind
  double slowed_seconds = 0;            // that computing took longer than its core time:
                                        // moves had a share of the cores, or memory was paged
  double waiting_for_core_seconds = 0;  // between them, while others had the cores
  double waiting_for_link_seconds =
      0;  // while its two sites had as many moves as they take at once
};

/// A played workload, with its figures.
struct Simulation {
  Played played;
  double makespan = 0;
  double moved_bytes = 0;
  int64_t num_moves = 0;
  std::vector<SiteFigures> sites;
  CriticalPath critical_path;
  Bounds bounds;
};

/// Plays a workload on a cluster and adds up the figures. Errors: those of play().
Simulation simulate(const Workload& workload, const Cluster& cluster);

/// Appends a simulation that starts when the first has ended: `after` on the same cluster, with
/// activities numbered after those of `whole`.
void append(Simulation& whole, const Simulation& after);

}  // namespace tessera::simulate

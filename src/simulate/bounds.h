#pragma once

#include "simulate/cluster.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// Lower bounds on the seconds of any run of this work, with its placement.
struct Bounds {
  double critical_path = 0;  // the longest chain of activities, each alone on the cluster
  double work = 0;           // all core time, over all cores
  double busiest_cores = 0;  // the core time of one site, over its cores
  double busiest_link = 0;   // the bytes that one site, or rack, sends or receives, over its link
  double busiest_disk = 0;   // the bytes that one site reads and writes

  double largest() const;
};

/// Returns the time that an activity takes of a core at its site; for a move, to receive its bytes.
double core_seconds_of(const ActivityInfo& activity, const Cluster& cluster);

/// Returns the time that a move takes of a core at its source, to send; 0 for other activities.
double sending_core_seconds(const ActivityInfo& activity, const Cluster& cluster);

/// Returns the time of an activity if nothing else runs. A move sends, travels and is received at
/// once.
double seconds_alone(const ActivityInfo& activity, const Cluster& cluster);

Bounds bounds_of(const Workload& workload, const Cluster& cluster);

}  // namespace tessera::simulate

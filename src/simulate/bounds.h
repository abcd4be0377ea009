#pragma once

#include "simulate/cluster.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// What nothing that runs this work, placed as it is, can be quicker than; seconds.
struct Bounds {
  double critical_path = 0;  // the longest chain of activities, each alone on the cluster
  double work = 0;           // all that cores do, over all cores
  double busiest_cores = 0;  // what the cores of one site do, over these cores
  double busiest_link = 0;   // what one site, or rack, sends or receives, over its link
  double busiest_disk = 0;   // what one site reads and writes

  double largest() const;
};

/// What an activity takes of a core at its site; of a move, to receive its bytes.
double core_seconds_of(const ActivityInfo& activity, const Cluster& cluster);

/// What a move takes of a core where its bytes are, to send them; 0 of anything else.
double sending_core_seconds(const ActivityInfo& activity, const Cluster& cluster);

/// What an activity takes if nothing else runs. A move sends, is on its way and is received at
/// once.
double seconds_alone(const ActivityInfo& activity, const Cluster& cluster);

Bounds bounds_of(const Workload& workload, const Cluster& cluster);

}  // namespace tessera::simulate

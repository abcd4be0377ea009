#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/shared.h"
#include "plan/incidence.h"

namespace tessera::simulate {

struct ActivityInfo;
struct HeldTile;
using ActivityId = Id<ActivityInfo>;  // its number is its place in the order
using HeldTileId = Id<HeldTile>;

enum class ActivityKind : uint8_t {
  compute,
  move,
  read,
  write,
  barrier  // ends when all that it waits for has, and takes nothing
};

/// An activity: it takes time, and is a task of a plan, or of a graph with costs.
struct ActivityInfo {
  ActivityKind kind = ActivityKind::compute;
  int32_t site = 0;          // where it runs; of a move, its target
  int32_t from = 0;          // of a move: its source
  double core_seconds = 0;   // on one core of the site; 0 for a move, whose bytes give it
  double bytes = 0;          // of a move through both links; of read and write, from or to the disk
  double delay_seconds = 0;  // of a move with a fixed duration
  int64_t workspace_bytes = 0;
  Shared<std::string> name;  // for people: the statement, or its name in a graph
  Shared<std::string> work;  // for people: the kernel, `read`, `move`
};

/// Bytes that a site holds from the first activity that touches them until the last has ended.
struct HeldTile {
  int32_t site = 0;
  int64_t bytes = 0;
};

/// The work that is played on a cluster. Every activity depends on earlier ones only.
struct Workload {
  int64_t num_sites = 1;
  std::vector<ActivityInfo> activities;
  plan::Incidence<ActivityId, ActivityId> dependencies;
  std::vector<HeldTile> tiles;
  plan::Incidence<ActivityId, HeldTileId> touched;
  /// True if a site's activities start in their order, each after those before it, like in a static
  /// schedule; else the earliest ready one starts.
  bool keeps_order = false;

  const ActivityInfo& at(ActivityId id) const { return activities[id.index()]; }
};

}  // namespace tessera::simulate

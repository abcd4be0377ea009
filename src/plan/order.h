#pragma once

#include "plan/task_graph.h"

namespace tessera::plan {

/// Orders the tasks depth first from the sinks (listing.h), so that a tile is made shortly before
/// it is used, and drops tasks that no sink needs. Then notes the last use of every tile, and the
/// peak and the smallest budget of every space.
///
/// If it lowers the peak, a tile that another task made, or that was read, is used at once by every
/// task that otherwise needs only tiles of sources. This keeps more results live, but frees their
/// inputs sooner. (For a product of a thin and a wide intermediate one order holds the thin one
/// whole, the other the result. For a product with a long sum one reads both factors along it,
/// once; the other holds one of them.)
///
/// REQUIRES tasks in an order in which every tile is written before it is read. A task that
/// accumulates, or copies into a tile that others copy into, comes after the earlier writers of
/// that tile, in their order.
TaskGraph ordered(TaskGraph draft);

}  // namespace tessera::plan

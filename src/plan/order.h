#pragma once

#include "plan/task_graph.h"

namespace tessera::plan {

/// Orders the tasks depth first from the sinks (listing.h), so that a tile is made shortly before
/// it is used and tasks that no sink needs are dropped; then says for every tile its last use and
/// for every space its peak and its smallest budget.
///
/// Where that lowers the peak, a tile that another task made, or that was read, is used at once by
/// every task that needs nothing else but tiles of sources: many results are then open, but what
/// they are made from is gone. (Of a product of a thin and a wide intermediate one order holds the
/// thin one whole, the other the result. Of a product with a long sum one reads both factors along
/// it, once; the other holds one of them.)
///
/// REQUIRES tasks in an order in which every tile is written before it is read. A task that
/// accumulates, or copies into a tile that others copy into, comes after the earlier writers of
/// that tile, in their order.
TaskGraph ordered(TaskGraph draft);

}  // namespace tessera::plan

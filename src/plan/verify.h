#pragma once

#include <string>
#include <vector>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Returns everything that is wrong with a plan, in words that name the task or tile; nothing if it
/// is sound:
/// - tiles, programs and sinks that tasks name exist, and arguments lie inside their tiles;
/// - sources fill whole tiles in their places and are of one dtype and number of modes each;
/// - a tile is written in full before it is read or accumulated into, copied boxes fill it, and it
///   is written again only by a task that reads it where it writes it;
/// - `last_use` is the last task that touches the tile;
/// - ranges lie inside the labels, and every element that a program reads or writes lies inside its
///   argument;
/// - all tiles of a task are in the space of its site, except the input of a move, which is in
///   another; a move reads a whole tile and makes a whole one, and no task is half of a move
///   (site_tasks.h);
/// - every element of a sink is written, none twice (counted, with distinct corners);
/// - peak and smallest budget of every space are the sums of its tiles and workspaces.
std::vector<std::string> verify(const TaskGraph& graph, const expr::FunctionRegistry& functions);

/// Returns the reasons that a plan marked reproducible is not: programs whose sums state no leaf
/// (expr/reduction_order.h). It does not look at the tasks that merge their results, nor at their
/// order.
std::vector<std::string> verify_order(const TaskGraph& graph,
                                      const expr::AggregateRegistry& aggregates);

}  // namespace tessera::plan

#pragma once

#include "ir/ia/graph.h"
#include "kernels/context.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// The most sites, because every site looks at every relation.
inline constexpr int64_t kMostSites = 1024;

/// Makes the plan of a placed graph: every tile and every task by name, the tuples that meet (their
/// lineage), the kernel and the order of the tasks, and the last use of every tile.
///
/// A chain of products along an aggregated key accumulates into one tile, in key order. Cuts are
/// views and cost nothing; a paste copies boxes. Every site computes from its own tuples, reads its
/// own tiles of the inputs and writes results from the first site that has them. A broadcast and a
/// shuffle move the tuples that are missing. A result's key dimensions that cut no mode become its
/// first modes.
///
/// Errors: `user` if a rekey is not closed (two tuples with one key, or a gap) or a filter leaves a
/// hole in a result, naming the key; `unsupported` if a placement is left open. Source: Two-phase
/// §3 (lineage), design of the accumulation ours. REQUIRES at most kMostSites sites.
TaskGraph to_tasks(const ia::Graph& graph, const kernels::Context& context);

}  // namespace tessera::plan

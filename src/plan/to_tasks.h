#pragma once

#include "ir/ia/graph.h"
#include "kernels/context.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Every site looks at every relation.
inline constexpr int64_t kMostSites = 1024;

/// Names every tile and every task: which tuples meet (their lineage), what each computes, with
/// which kernel, in which order, and when a tile is no longer needed.
///
/// A chain of products along an aggregated key accumulates into one tile, in key order. Cuts are
/// views and cost nothing; a paste copies boxes. Every site makes what its tuples give, reads its
/// own tiles of the inputs and writes results from the first site that has them; a broadcast and a
/// shuffle move the tuples that are not there yet. A result's key dimensions that cut no mode
/// become its first modes.
///
/// Errors: `user` where a rekey is not closed (two tuples with one key, or a gap) or a filter
/// leaves a hole in a result, naming the key; `unsupported` where a placement is left open. Source:
/// Two-phase §3 (lineage), design of the accumulation ours.
/// REQUIRES at most kMostSites sites.
TaskGraph to_tasks(const ia::Graph& graph, const kernels::Context& context);

}  // namespace tessera::plan

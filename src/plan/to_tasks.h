#pragma once

#include "ir/ia/graph.h"
#include "kernels/context.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Names every tile and every task: which tuples meet (their lineage), what each computes, with
/// which kernel, in which order, and when a tile is no longer needed.
///
/// A chain of products along an aggregated key accumulates into one tile, in key order. Cuts are
/// views and cost nothing; a paste copies boxes. A result's key dimensions that cut no mode become
/// its first modes.
///
/// Errors: `user` where a rekey is not closed (two tuples with one key, or a gap) or a filter
/// leaves a hole in a result, naming the key; `unsupported` for more than one site. Source:
/// Two-phase §3 (lineage), design of the accumulation ours.
TaskGraph to_tasks(const ia::Graph& graph, const kernels::Context& context);

}  // namespace tessera::plan

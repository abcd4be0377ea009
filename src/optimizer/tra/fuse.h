#pragma once

#include <cstdint>

#include "ir/tra/graph.h"
#include "kernels/context.h"
#include "optimizer/rewrite/passed.h"

namespace tessera::optimizer {

/// What becomes of a subexpression that several statements of one kernel compute.
enum class Subexpressions : uint8_t { as_written, shared };

/// Puts joins and transforms whose tiles correspond one to one into one join, whose kernel has all
/// their statements, where one call is predicted to take less than several (fuse_group.h says when
/// that is possible).
///
/// From the last node to the first: each takes in the nodes it reads, and what those read, where
/// the cheapest kernel for the larger program takes less than the cheapest kernels for the parts
/// and the tiles between them. What several of its statements compute becomes a statement that they
/// read, where that is predicted to take less (share_subexpressions.h) and they are to be shared. A
/// fused node has the origin of its last statement, named after all of them: "E+Y". The reasons say
/// why a statement was left apart from one that reads it.
///
/// Deterministic. Errors: none for a verified graph.
rewrite::Passed<tra::Graph> fuse(tra::Graph graph, const kernels::Context& context,
                                 Subexpressions subexpressions);

}  // namespace tessera::optimizer

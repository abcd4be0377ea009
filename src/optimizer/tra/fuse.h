#pragma once

#include <cstdint>

#include "ir/tra/graph.h"
#include "kernels/context.h"
#include "optimizer/rewrite/passed.h"

namespace tessera::optimizer {

/// The treatment of a subexpression that several statements of one kernel compute.
enum class Subexpressions : uint8_t { as_written, shared };

/// Fuses joins and transforms whose tiles correspond one to one into one join, whose kernel has all
/// their statements, if one call is predicted to take less than several (fuse_group.h tells when
/// that is possible).
///
/// Goes from the last node to the first. Each takes in the nodes it reads, and their inputs in
/// turn, if the cheapest kernel for the larger program takes less than the cheapest kernels for the
/// parts and the tiles between them. An expression that several of its statements compute becomes a
/// statement that they read, if that is predicted to take less (share_subexpressions.h) and
/// `subexpressions` allows it. A fused node has the origin of its last statement, named after all
/// of them: "E+Y". The reasons tell why a statement was left apart from one that reads it.
///
/// Deterministic. Errors: none for a verified graph.
rewrite::Passed<tra::Graph> fuse(tra::Graph graph, const kernels::Context& context,
                                 Subexpressions subexpressions);

}  // namespace tessera::optimizer

#pragma once

#include "expr/aggregate.h"
#include "ir/einsum/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/partition/model/partitioning.h"

namespace tessera::optimizer {

/// Returns the partitioning, rounded so that cutting changes no bit of any result.
///
/// A reduction whose result depends on its order (expr/reduction_order.h) is cut only between
/// subtrees of the tree over its leaves: pieces of the leaf's label keep their length, or grow to
/// the next length * 2^j of the leaf; its other reduced labels are not cut. No reduced label is cut
/// if the state is stored narrower than it is computed (possible in a text), because every piece
/// would be rounded. The label of a scan that rounds is cut by expr::scan_piece(), or not at all if
/// its state is stored narrower. Kept labels, and all labels of other statements, stay the same.
partition::Partitioning reproducible_partitioning(const einsum::Graph& graph,
                                                  partition::Partitioning partitioning,
                                                  const expr::AggregateRegistry& aggregates);

/// Returns the relations as a reproducible graph, with the order of every such reduction stated: a
/// leaf in the statements, a tree in the aggregates that merge their pieces. Errors: `user` if a
/// label is cut otherwise than by such a partitioning (in relations that were read from a text).
tra::Graph with_stated_order(tra::Graph graph, const expr::AggregateRegistry& aggregates);

}  // namespace tessera::optimizer

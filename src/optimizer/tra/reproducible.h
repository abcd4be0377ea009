#pragma once

#include "expr/aggregate.h"
#include "ir/einsum/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/partition/model/partitioning.h"

namespace tessera::optimizer {

/// The partitioning, rounded so that cutting does not change the bits of any result.
///
/// A reduction whose result depends on its order (expr/reduction_order.h) is cut only between
/// subtrees of the tree over its leaves: pieces of the leaf's label are as long as they were or up
/// to the next length * 2^j of the leaf; the other reduced labels are not cut. Nor is any reduced
/// label where the state is stored narrower than it is computed (a text's), as
/// every piece would be rounded. The label of a scan that rounds is cut as expr::scan_piece() says,
/// or not at all where its state is stored narrower. Labels that are kept, and all labels of other
/// statements, stay as they were.
partition::Partitioning reproducible_partitioning(const einsum::Graph& graph,
                                                  partition::Partitioning partitioning,
                                                  const expr::AggregateRegistry& aggregates);

/// The relations as a reproducible graph, with the order of every such reduction stated: a leaf in
/// the statements, a tree in the aggregates that merge their pieces. Errors: `user` where a label
/// is cut otherwise than a partitioning as above cuts it (relations that were read from a text).
tra::Graph with_stated_order(tra::Graph graph, const expr::AggregateRegistry& aggregates);

}  // namespace tessera::optimizer

#pragma once

#include "ir/einsum/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/partition/model/partitioning.h"

namespace tessera::optimizer {

/// Lowers every vertex to relations over (key, tile): a join that applies the vertex's own small
/// einsum to tiles that agree on equal labels, an aggregate over the labels that are summed and
/// cut, and a transform if the aggregate has something to finalise (EinDecomp §4). Operands with
/// other cuts are repartitioned first. An input of the program is cut for its first reader, and
/// read again for a reader whose cuts do not refine these.
///
/// REQUIRES lengths for every label of every statement, whole if partition/model/reading.h says so.
/// Errors: `user` for more pieces than a mode may have. Source: EinDecomp §4.2 (join, then
/// aggregate).
tra::Graph to_tra(const einsum::Graph& graph, const partition::Partitioning& partitioning);

}  // namespace tessera::optimizer

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ir/einsum/graph.h"
#include "ir/tra/graph.h"

namespace tessera::optimizer {

/// How every tensor is cut: pieces of that length along every label of that name, the last one
/// shorter. Labels that are not named are not cut.
struct Tiling {
  std::map<std::string, int64_t> piece_lengths;
};

/// Writes every vertex as relations over (key, tile): a join that applies the vertex's own small
/// einsum to tiles that agree on equal labels, an aggregate over the labels that are summed and
/// cut, a transform where the aggregate has something to finalise (EinDecomp §4). Operands that are
/// cut otherwise are repartitioned first; an input of the program is cut as its first reader wants
/// it.
///
/// Errors: none for a verified graph. Source: EinDecomp §4.2 (join, then aggregate).
tra::Graph to_tra(const einsum::Graph& graph, const Tiling& tiling);

}  // namespace tessera::optimizer

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"

namespace tessera::optimizer {

/// The placements that a planner requests for a node, if any.
struct Wish {
  /// For an input, its placement; for a join, the sites that compute it; for a merge, the sites
  /// that its tuples are brought to. REQUIRES one copy of each.
  std::optional<ia::Placement> at;
  /// For a join, the placement that each input is brought to; empty for no request.
  std::vector<ia::Placement> operands;
  /// For an aggregate, dimensions that it drops, in runs of pieces that lie on one site each: every
  /// run is merged there before anything moves (R2-5 of TRA §5).
  std::vector<tra::DenseDim> partial;
};

/// Requests by node; empty for none.
using Wishes = std::vector<Wish>;

/// Makes an initial plan of the implementation algebra for `num_sites` sites (TRA §4.2, the
/// translation table). An input's tuples lie on the sites in turn. If ia::placement_of() tells that
/// an operator can be done where its inputs lie, nothing is moved. Else a join broadcasts every
/// input but its largest; an aggregate, a concat and a rekey shuffle tuples to the site of the
/// tuple that they become part of, with sites taken in turn; a repartition is a cut, such a shuffle
/// of the boxes and a paste. On one site nothing is ever moved. A request replaces these defaults
/// if the operator can be done that way.
///
/// REQUIRES 1 <= num_sites <= ia::kMostSites. Errors: `unsupported` if sites stand in a table and
/// the keys are more than tra::kMostTuples; none on one site.
ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites, const Wishes& wishes = {});

}  // namespace tessera::optimizer

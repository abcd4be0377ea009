#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"

namespace tessera::optimizer {

/// Where a planner wants a node's tuples, as far as it does.
struct Wish {
  /// Of an input, where it lies; of a join, where it is made; of what merges tuples, where these
  /// are brought together. REQUIRES one copy of each.
  std::optional<ia::Placement> at;
  /// Of a join, where the tuples of each input are brought; empty: nothing is wished.
  std::vector<ia::Placement> operands;
  /// Of an aggregate, dimensions that it drops, in runs of pieces that lie on one site each: every
  /// run is merged where it lies before anything moves (R2-5 of TRA §5).
  std::vector<tra::DenseDim> partial;
};

/// By node; empty: nothing is wished.
using Wishes = std::vector<Wish>;

/// An initial plan of the implementation algebra for so many sites (TRA §4.2, the translation
/// table). An input's tuples lie on the sites in turn. Where ia::placement_of() says that an
/// operator can be done where its inputs lie, nothing is moved. Else a join broadcasts every input
/// but its largest; an aggregate, a concat and a rekey shuffle tuples to the site of the tuple that
/// they become part of, sites being taken in turn; a repartition is a cut, such a shuffle of the
/// boxes and a paste. On one site nothing is ever moved. What is wished takes the place of that,
/// where an operator can be done so.
///
/// REQUIRES 1 <= num_sites <= ia::kMostSites. Errors: `unsupported` where sites stand in a table
/// and the keys are more than tra::kMostTuples; none on one site.
ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites, const Wishes& wishes = {});

}  // namespace tessera::optimizer

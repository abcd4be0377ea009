#pragma once

#include <string>

#include "base/refusal.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Returns the placement of an operator's result, by the sites of its inputs; a refusal if it
/// cannot be done there. `type` is the type of the result. No other place determines how operators
/// place.
///
/// A local operator leaves a tuple where it is made: a rekey, a filter, a map and a cut at the old
/// tuple, a join where all tuples that meet lie, an aggregate and a paste where all merged tuples
/// lie. A map stays a map if its arithmetic carries over (a cut into three pieces makes i into
/// i/3), else every key is looked at and the answer is a table. If the inputs have copies, the
/// result is made on every site that has all of them, or on the one of these that `LocalOp::at`
/// names.
///
/// REQUIRES that the operator is not an input, which brings its placement along, and fits its
/// inputs (tra::infer_type); that these are sound.
OrRefusal<Placement> placement_of(const Graph& graph, const Op& op, const tra::RelationType& type);

/// Returns the placement of tuples that each lie at the tuple of a coarser key that they are part
/// of: pieces of larger tiles, or tuples of more dimensions.
OrRefusal<Placement> placement_of_pieces(const Placement& placement,
                                         const std::vector<tra::KeyDim>& coarse,
                                         const std::vector<tra::KeyDim>& fine, int64_t num_sites);

/// Formats a placement for messages and texts: "(s+2*a)", "everywhere".
std::string to_string(const Placement& placement);

}  // namespace tessera::ia

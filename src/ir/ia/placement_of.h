#pragma once

#include <string>

#include "base/refusal.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Where the tuples lie that an operator makes from nodes of a graph, as the sites of its inputs
/// say; a refusal where it cannot be done on these. `type` is the type of what it makes. This is
/// the only place that says how operators place.
///
/// A local operator leaves a tuple where it is made: a rekey, a filter, a map and a cut where the
/// old tuple lay, a join where all tuples that meet lie, an aggregate and a paste where all tuples
/// that are merged lie. A map stays a map where its arithmetic carries over (a cut into three
/// pieces makes i into i/3), else every key is looked at and the answer is a table. Where there are
/// copies of what it is made from, it is made on every site that has all, or on the one of them
/// that `LocalOp::at` names.
///
/// REQUIRES that the operator is not an input, which brings its placement along, and fits its
/// inputs (tra::infer_type); that these are sound.
OrRefusal<Placement> placement_of(const Graph& graph, const Op& op, const tra::RelationType& type);

/// The placement of tuples that each lie where the tuple of a coarser key lies that they are part
/// of: pieces of larger tiles, or tuples of more dimensions.
OrRefusal<Placement> placement_of_pieces(const Placement& placement,
                                         const std::vector<tra::KeyDim>& coarse,
                                         const std::vector<tra::KeyDim>& fine, int64_t num_sites);

/// "(s+2*a)", "everywhere", for messages and texts.
std::string to_string(const Placement& placement);

}  // namespace tessera::ia

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session.h"
#include "placement/bounds/lower_bound.h"

namespace tessera::engine {

/// What no placement of a program on its sites and their memory moves less than
/// (placement/bounds/lower_bound.h).
struct ProgramBounds {
  std::vector<placement::CommunicationBound> vertices;  // of the optimized graph, each alone
  placement::CommunicationBound as_planned;             // of that graph
  placement::CommunicationBound as_written;  // of the graph that was bound: products of several
                                             // factors at once, as Deinsum has them

  /// The lesser of both, as a product of several factors may be computed either way.
  placement::CommunicationBound least() const;
};

/// Nothing on one site, where a plan starts from the text of a stage, or where sites may read
/// inputs again: the bound is of inputs that one site has.
std::optional<ProgramBounds> bounds_of(const Stages& stages, const Session& session);

/// "lower bound: 17.9 GiB between sites, if each does 1/8 of every statement", and what is paged
/// besides where memory is short; empty where nothing has to move.
std::string bound_text(const placement::CommunicationBound& bound, int64_t num_sites,
                       int64_t memory_bytes);

/// Returns the bytes that are moved, or read again by another site, divided by the lower bound;
/// nothing if the bound is zero.
std::optional<double> times_bound(double moved_bytes, const placement::CommunicationBound& bound);

}  // namespace tessera::engine

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session.h"
#include "placement/bounds/lower_bound.h"

namespace tessera::engine {

/// The lower bounds on a program's communication on its sites with their memory
/// (placement/bounds/lower_bound.h).
struct ProgramBounds {
  std::vector<placement::CommunicationBound> vertices;  // of the optimized graph, each alone
  placement::CommunicationBound as_planned;             // of that graph
  placement::CommunicationBound as_written;             // of the bound graph: products of several
                                                        // factors at once, like in Deinsum

  /// Returns the lesser of both, because a product of several factors may be computed either way.
  placement::CommunicationBound least() const;
};

/// Returns the bounds; nothing on one site, if a plan starts from the text of a stage, or if sites
/// may read inputs again: the bound assumes that one site has each input.
std::optional<ProgramBounds> bounds_of(const Stages& stages, const Session& session);

/// Formats "lower bound: 17.9 GiB between sites, if each does 1/8 of every statement", and the
/// paging besides if memory is short; empty if nothing has to move.
std::string bound_text(const placement::CommunicationBound& bound, int64_t num_sites,
                       int64_t memory_bytes);

/// Returns the bytes that are moved, or read again by another site, divided by the lower bound;
/// nothing if the bound is zero.
std::optional<double> times_bound(double moved_bytes, const placement::CommunicationBound& bound);

}  // namespace tessera::engine

#pragma once

#include <optional>
#include <string>

#include "engine/session.h"
#include "placement/bounds/lower_bound.h"

namespace tessera::engine {

/// What no placement of a program on its sites and their memory moves less than
/// (placement/bounds/lower_bound.h), by vertex of the optimized graph and of all. For all it is the
/// lesser of the bounds of the graph as it was written and as it is planned, as a product of
/// several factors may be computed either way. Nothing on one site, or where a plan starts from the
/// text of a stage.
std::optional<placement::CommunicationBounds> bounds_of(const Stages& stages,
                                                        const Session& session);

/// "lower bound: 17.9 GiB between sites, if each does 1/8 of every statement", and what is paged
/// besides where memory is short; empty where nothing has to move.
std::string bound_text(const placement::CommunicationBound& bound, int64_t num_sites,
                       int64_t memory_bytes);

/// How many times the bound is moved; nothing where it is nothing.
std::optional<double> times_bound(double moved_bytes, const placement::CommunicationBound& bound);

}  // namespace tessera::engine

#pragma once

#include <optional>
#include <set>
#include <string>

#include "ir/einsum/graph.h"

namespace tessera::engine {

/// The first part of a program that gathers from what it computes, x[I[n]] of a computed x: as far
/// as those tensors. Where a run has left them in files, the rest gathers from these, as from
/// inputs, so that no tensor has to be held whole.
///
/// Its results are these tensors, and what else it computes that the rest reads or puts out.
/// `defined` are the names of the tensors that a run may leave. Nothing where the program gathers
/// from no such tensor.
std::optional<einsum::Graph> first_part(const einsum::Graph& graph,
                                        const std::set<std::string>& defined);

}  // namespace tessera::engine

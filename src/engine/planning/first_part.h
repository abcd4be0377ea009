#pragma once

#include <optional>
#include <set>
#include <string>

#include "ir/einsum/graph.h"

namespace tessera::engine {

/// Returns the first part of a program that gathers from a computed tensor, x[I[n]] of a computed
/// x: up to those tensors. After a run has left them in files, the rest gathers from these, like
/// from inputs, so that no tensor has to be held whole.
///
/// Its results are these tensors, and its other tensors that the rest reads or outputs. `defined`
/// are the names of the tensors that a run may leave. Nothing if the program gathers from no such
/// tensor.
std::optional<einsum::Graph> first_part(const einsum::Graph& graph,
                                        const std::set<std::string>& defined);

}  // namespace tessera::engine

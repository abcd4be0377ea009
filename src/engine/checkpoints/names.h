#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/execution/rounds.h"
#include "engine/setup/setup.h"
#include "ir/einsum/graph.h"

namespace tessera::engine {

/// Returns the identities of inputs' data, by name: type, length and time of last write of the
/// file, and elements at places all over it. Errors: those of reading.
std::map<std::string, std::string> identities_of(const Sources& sources);

/// Returns the settings that change a run's bits, and this version of the program, as text.
std::string settings_text(const Setup& setup);

/// Returns a name for every vertex of a program: 32 hexadecimal digits, a hash of everything that
/// the bits of its tensor depend on. These are its own operation and those of all vertices below
/// it, with their types, the identities of inputs, the settings that change a run's bits, and this
/// version of the program. If a sum's order follows from the cuts, these are left out: a tensor
/// kept under other cuts has equally good bits.
///
/// Empty for a vertex that depends on an input with unknown identity.
std::vector<std::string> names_of_vertices(const einsum::Graph& graph,
                                           const std::map<std::string, std::string>& identities,
                                           const Setup& setup);

}  // namespace tessera::engine

#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/execution/rounds.h"
#include "engine/setup/setup.h"
#include "ir/einsum/graph.h"

namespace tessera::engine {

/// What tells the data of inputs from others, by name: type, length and time of last write of the
/// file, and elements at places all over it. Errors: those of reading.
std::map<std::string, std::string> identities_of(const Sources& sources);

/// The settings by which a run computes other bits, and this version of the program, as text.
std::string settings_text(const Setup& setup);

/// A name for every vertex of a program: 32 hexadecimal digits, a hash of all that the bits of its
/// tensor follow from. These are its own operation and those of all vertices that it is made from,
/// with their types, the identities of the inputs among them, the settings by which a run computes
/// other bits, and this version of the program. Where a sum's order follows from the cuts, these
/// are not in it: what was kept under other cuts has bits as good as these.
///
/// Empty for what is made from an input whose identity is not known.
std::vector<std::string> names_of_vertices(const einsum::Graph& graph,
                                           const std::map<std::string, std::string>& identities,
                                           const Setup& setup);

}  // namespace tessera::engine

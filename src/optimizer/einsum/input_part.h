#pragma once

#include <cstddef>

#include "ir/einsum/graph.h"

namespace tessera::optimizer {

/// Counts the leading modes of an access that are fixed: W[1,d,f] has one. The rest is contiguous
/// in a row-major array.
size_t num_leading_fixed(const expr::Access& access);

/// True if a vertex is an input whose parts can be read from its file without the rest of it.
bool is_part_source(const einsum::Vertex& vertex);

/// True if an access reads a part of an input: fixed positions of leading modes, then plain labels,
/// each once.
bool reads_part(const expr::Access& access);

/// True if a vertex copies a part of an input and does nothing else.
bool copies_part_of_input(const einsum::Vertex& vertex, const einsum::Graph& graph);

}  // namespace tessera::optimizer

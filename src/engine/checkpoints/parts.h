#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::engine {

/// The vertices of a program between two cuts, as far as a run makes them.
struct ProgramPart {
  std::vector<size_t> made;    // vertices, in order; with the inputs that they read
  std::vector<size_t> reads;   // vertices that were kept before
  std::vector<size_t> leaves;  // made vertices that are kept
  bool is_last = false;        // it gives the results of the program
};

/// True if a vertex is the user's data.
bool is_input(const einsum::Vertex& vertex);

/// Returns, by vertex, the last reader (cuts.h): kUntilTheEnd for a result, 0 for inputs, which
/// exist anyway.
std::vector<size_t> read_until(const einsum::Graph& graph);

/// Returns the parts of a program that are still to be run, in order, given the vertices that
/// `is_kept`: nothing of a part whose needed results all exist, and nothing that only such parts
/// need.
///
/// A part with a missing result leaves all that it would leave without checkpoints, so that it is
/// planned as if it had never run; it reads tensors kept in its midst by a run with other cuts.
/// `is_kept` is asked only for needed vertices.
std::vector<ProgramPart> parts_to_run(const einsum::Graph& graph, const std::vector<size_t>& cuts,
                                      const std::function<bool(size_t)>& is_kept);

/// Returns the name under which a kept tensor is read and written: it has a dot, which users' names
/// lack.
std::string kept_name(const einsum::Vertex& vertex);

/// Returns a part as a program of its own.
einsum::Graph graph_of(const ProgramPart& part, const einsum::Graph& whole);

}  // namespace tessera::engine

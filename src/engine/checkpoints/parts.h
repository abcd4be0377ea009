#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::engine {

/// The vertices of a program between two cuts, as far as a run makes them.
struct ProgramPart {
  std::vector<size_t> made;    // vertices, in order; inputs that they read among them
  std::vector<size_t> reads;   // vertices that were kept before
  std::vector<size_t> leaves;  // of what is made: to be kept
  bool is_last = false;        // it gives the results of the program
};

/// Whether a vertex is the user's data.
bool is_input(const einsum::Vertex& vertex);

/// By vertex, the last that reads it (cuts.h): kUntilTheEnd for a result, 0 for inputs, which are
/// there anyway.
std::vector<size_t> read_until(const einsum::Graph& graph);

/// The parts of a program that are still to be run, in order, where `is_kept` says what is there
/// already: nothing of a part of which everything that is needed behind it is there, and nothing
/// that only such parts need.
///
/// A part of which something is missing leaves all that it would leave if nothing were there, so
/// that it is planned as if it had never run; what was kept in its midst, by a run that was cut
/// elsewhere, it reads. `is_kept` is asked for vertices that are needed only.
std::vector<ProgramPart> parts_to_run(const einsum::Graph& graph, const std::vector<size_t>& cuts,
                                      const std::function<bool(size_t)>& is_kept);

/// What a kept tensor is called where it is read and written: none of the user's, as his names have
/// no dots.
std::string kept_name(const einsum::Vertex& vertex);

/// A part as a program of its own.
einsum::Graph graph_of(const ProgramPart& part, const einsum::Graph& whole);

}  // namespace tessera::engine

#pragma once

#include <vector>

#include "engine/planning/stages.h"
#include "engine/setup/setup.h"

namespace tessera::engine {

/// Returns the program that checkpoints are kept of. Errors: `unsupported` for a plan that starts
/// from the text of a later stage, or has no tasks.
const einsum::Graph& checkpointed_program(const Stages& stages);

/// A plan's figures for the vertices of the optimized program.
struct VertexWork {
  /// The estimated seconds in which all workers of all sites make each vertex, with the moves it
  /// needs. Statements that one kernel call runs together count for the last.
  std::vector<double> seconds;
  /// True if kernel calls run a vertex together with one before it: with a cut between them, both
  /// would be slower.
  std::vector<bool> is_joined;
};

/// Returns the work of vertices. Errors: those of checkpointed_program() and of for_each_frame.
VertexWork work_of_vertices(const Stages& stages, const Setup& setup);

/// Returns the seconds to write a tensor to a checkpoint, to sum it up and to read it again.
double seconds_to_keep(const ArrayType& type, const Setup& setup);

}  // namespace tessera::engine

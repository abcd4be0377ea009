#pragma once

#include <vector>

#include "engine/planning/stages.h"
#include "engine/setup/setup.h"

namespace tessera::engine {

/// The program that checkpoints are kept of. Errors: `unsupported` for a plan that starts from the
/// text of a later stage, or has no tasks.
const einsum::Graph& checkpointed_program(const Stages& stages);

/// What a plan says of the vertices of the optimized program.
struct VertexWork {
  /// The seconds in which all workers of all sites make each vertex, as estimated, moving what it
  /// needs among them. What kernel calls run together counts for the last.
  std::vector<double> seconds;
  /// Whether kernel calls run each together with one before it: cut between them, both would be
  /// slower.
  std::vector<bool> is_joined;
};

/// Errors: those of checkpointed_program() and of for_each_frame.
VertexWork work_of_vertices(const Stages& stages, const Setup& setup);

/// What it takes to write a tensor to a checkpoint, to sum it up and to read it again.
double seconds_to_keep(const ArrayType& type, const Setup& setup);

}  // namespace tessera::engine

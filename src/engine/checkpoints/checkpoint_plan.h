#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/checkpoints/parts.h"
#include "engine/planning/stages.h"
#include "engine/setup/setup.h"
#include "io/checked_array.h"

namespace tessera::engine {

/// The checkpoints of a run of a program. For a program up to a count that the rest waits for, its
/// results are kept too, if that is worth it.
struct CheckpointPlan {
  std::string directory;
  double most_seconds = 0;         // the most work between two cuts
  std::vector<double> seconds;     // by vertex of the optimized program, as estimated
  std::vector<size_t> cuts;        // before these vertices, or behind the last
  std::vector<std::string> names;  // of the vertices (names.h)

  double all_seconds() const;
};

/// Decides where a run is cut, given the identities of its inputs that are known (names.h). Errors:
/// those of checkpointed_program(). REQUIRES that the settings name a directory.
CheckpointPlan checkpoint_plan(const Stages& stages,
                               const std::map<std::string, std::string>& identities,
                               const Setup& setup);

/// Returns the file of a kept vertex.
io::CheckedArray kept_file(const CheckpointPlan& plan, const einsum::Graph& graph, size_t vertex);

/// The checkpoints that exist of a program, and the parts still to run.
struct KeptAlready {
  std::vector<ProgramPart> parts;         // to run
  std::set<size_t> vertices;              // existing, among those that would be read
  std::map<size_t, std::string> damaged;  // existing, with their damage

  /// Returns the checkpoints that existed before any part ran and that the parts read, in order.
  std::vector<size_t> reused() const;
  double seconds_left(const CheckpointPlan& plan) const;
};

/// Looks into the directory. Of several processes, all of which do the same, the first looks, and
/// alone knows which are damaged. Errors: those of reading.
KeptAlready kept_already(const CheckpointPlan& plan, const einsum::Graph& graph,
                         const Setup& setup);

}  // namespace tessera::engine

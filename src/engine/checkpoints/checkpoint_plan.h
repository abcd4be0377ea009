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

/// What a run of a program keeps, and where. Of a program as far as a count that the rest waits
/// for, what it leaves is kept too, where that is worth it.
struct CheckpointPlan {
  std::string directory;
  double most_seconds = 0;         // of work that are to lie between two cuts
  std::vector<double> seconds;     // by vertex of the optimized program, as estimated
  std::vector<size_t> cuts;        // before these vertices, or behind the last
  std::vector<std::string> names;  // of the vertices (names.h)

  double all_seconds() const;
};

/// Decides where a run is cut, for the identities of its inputs as far as they are known (names.h).
/// Errors: those of checkpointed_program(). REQUIRES that the settings name a directory.
CheckpointPlan checkpoint_plan(const Stages& stages,
                               const std::map<std::string, std::string>& identities,
                               const Setup& setup);

/// The file of a vertex that is kept.
io::CheckedArray kept_file(const CheckpointPlan& plan, const einsum::Graph& graph, size_t vertex);

/// What is there of a program, and what is still to be run of it.
struct KeptAlready {
  std::vector<ProgramPart> parts;         // to run
  std::set<size_t> vertices;              // that are there, of those that would be read
  std::map<size_t, std::string> damaged;  // that are there, with what is wrong with them

  /// What the parts read of what was there before any of them ran, in order.
  std::vector<size_t> reused() const;
  double seconds_left(const CheckpointPlan& plan) const;
};

/// Looks into the directory. Of several processes, all of which do the same, the first looks, and
/// alone knows what is damaged. Errors: those of reading.
KeptAlready kept_already(const CheckpointPlan& plan, const einsum::Graph& graph,
                         const Setup& setup);

}  // namespace tessera::engine

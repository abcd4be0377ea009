#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/checkpoints/checkpoint_plan.h"
#include "engine/checkpoints/kept_files.h"
#include "engine/execution/rounds.h"
#include "engine/planning/stages.h"
#include "engine/setup/setup.h"

namespace tessera::engine {

/// A round that is run part by part, each planned as a program of its own, and that resumes from
/// the checkpoints of an earlier run.
class CheckpointedRun {
 public:
  /// Takes the plan of the whole round, for its data. The setup outlives it. Of several processes
  /// all do the same. Errors: those of checkpoint_plan() and of KeptFiles.
  CheckpointedRun(const Stages& whole, const Round& round, const Setup& setup);

  const std::vector<ProgramPart>& parts() const { return kept_.parts; }

  /// True if there is one part, all of the program: its plan is that of the whole round.
  bool is_whole() const;

  /// Returns notes to the user before the first part runs: the checkpoints it resumes from, and
  /// damaged ones.
  std::vector<std::string> notes() const;

  einsum::Graph graph_of_part(const ProgramPart& part) const { return graph_of(part, graph_); }
  KeptFiles& files() { return files_; }

  /// Returns the identities of the results, by name (names.h).
  std::map<std::string, std::string> identities_of_results() const;

 private:
  einsum::Graph graph_;
  CheckpointPlan plan_;
  KeptAlready kept_;
  KeptFiles files_;
};

/// Returns the identities of inputs (names.h) without those already known; of several processes
/// those that the first sees.
std::map<std::string, std::string> common_identities(
    const Sources& sources, const std::map<std::string, std::string>& known, const Setup& setup);

}  // namespace tessera::engine

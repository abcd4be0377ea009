#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/explain/profile.h"
#include "engine/planning/stages.h"
#include "engine/setup/setup.h"
#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// The profile of a plan's runs. Figures of a single run are those of the last.
struct RunProfile {
  std::vector<double> execution_seconds;  // of every run
  RunTimes times;
  runtime::WaitingSeconds waiting;
  double seconds = 0;  // of the whole run
  double commit_seconds = 0;
  int64_t peak_bytes = 0;
  int64_t spilled_bytes = 0;
  int64_t num_spills = 0;
  int64_t copied_bytes = 0;
};

/// A plan's profile, added up, with that of its runs, if there were any. For a plan in frames, all
/// of them one after the other: memory is that of the one that holds most.
class PlanProfile {
 public:
  PlanProfile() = default;
  /// Profiles a plan that has not run, and makes its frames for that. Errors: those of
  /// for_each_frame.
  PlanProfile(const Stages& stages, const Setup& setup);

  /// Adds a plan, or the next of its frames.
  void add(const plan::TaskGraph& graph, const std::vector<runtime::RunReport>& runs);

  /// Adds the seconds of committing its results.
  void add_commit(double seconds);

  int64_t num_frames = 0;
  int64_t num_tasks = 0;
  int64_t num_tiles = 0;
  int64_t peak_bytes = 0;        // of tiles and workspaces, one task at a time, nothing paged
  double transferred_bytes = 0;  // between files, tiles and other tiles
  std::vector<StatementProfile> statements;
  std::vector<FileProfile> files;
  std::vector<SiteProfile> sites;
  std::optional<RunProfile> run;

 private:
  void add_run(const plan::TaskGraph& graph, const std::vector<runtime::RunReport>& runs);
};

}  // namespace tessera::engine

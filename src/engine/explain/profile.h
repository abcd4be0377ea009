#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// What a statement costs: estimated by the plan and, after a run, measured.
struct StatementProfile {
  Origin origin;
  int64_t num_tasks = 0;
  int64_t num_tiles = 0;   // that its tasks make
  int64_t num_spills = 0;  // of these, each time it was written to the spill file
  double flops = 0;
  double bytes = 0;
  double estimated_seconds = 0;
  std::optional<double> actual_seconds;
  std::vector<std::string>
      kernels;  // those chosen, in order of first use; `read`, `copy`, `write` for transfers

  StatementProfile& operator+=(const StatementProfile& other);
};

/// A plan's statements in the order in which they first run; `report` adds what they took.
std::vector<StatementProfile> profile_of(const plan::TaskGraph& graph,
                                         const runtime::RunReport* report);

/// What a file costs: its tiles, each read or written by a task.
struct FileProfile {
  std::string name;  // of the input or result
  bool is_written = false;
  int64_t num_tasks = 0;
  double bytes = 0;
  int64_t runs = 0;  // of the file, into which the tiles fall
  double estimated_seconds = 0;
  std::optional<double> actual_seconds;

  FileProfile& operator+=(const FileProfile& other);
};

/// A plan's files in the order in which they are first needed.
std::vector<FileProfile> files_of(const plan::TaskGraph& graph, const runtime::RunReport* report);

/// What a site does, and what it gets from the others and gives them.
struct SiteProfile {
  int64_t num_tasks = 0;
  double bytes_in = 0;
  double bytes_out = 0;
  std::optional<double> actual_bytes_in;  // counted as a run copied them
  std::optional<double> actual_bytes_out;
  int64_t peak_bytes = 0;  // of its tiles and workspaces, one task at a time, nothing paged
  double estimated_seconds = 0;
  std::optional<double> actual_seconds;  // summed over workers

  /// What it does afterwards.
  SiteProfile& operator+=(const SiteProfile& other);
};

/// A plan's sites in their order.
std::vector<SiteProfile> sites_of(const plan::TaskGraph& graph, const runtime::RunReport* report);

/// How long a run read its inputs, wrote its results and did the rest. A moment in which a task
/// computes while another reads is execution; the others are waiting for files.
struct RunTimes {
  double execution_seconds = 0;
  double waiting_seconds = 0;  // nothing was computed: with execution, the whole run
  double read_seconds = 0;     // summed over workers, as is the next
  double write_seconds = 0;

  RunTimes& operator+=(const RunTimes& other);
};
RunTimes times_of(const plan::TaskGraph& graph, const runtime::RunReport& report);

/// What a task does: its kernel, or `read`, `copy`, `write`.
std::string work_of(const plan::TaskInfo& task);

/// All statements added up.
StatementProfile total_of(const std::vector<StatementProfile>& statements);

}  // namespace tessera::engine

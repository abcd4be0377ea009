#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// The cost of a statement: estimated by the plan and, after a run, measured.
struct StatementProfile {
  Origin origin;
  int64_t num_tasks = 0;
  int64_t num_tiles = 0;   // that its tasks make
  int64_t num_spills = 0;  // spills of these tiles
  double flops = 0;
  double bytes = 0;
  double estimated_seconds = 0;
  std::optional<double> actual_seconds;
  std::vector<std::string>
      kernels;  // the chosen ones, in order of first use; `read`, `copy`, `write` for transfers

  StatementProfile& operator+=(const StatementProfile& other);
};

/// Returns a plan's statements in the order they first run; `report` adds measured figures.
std::vector<StatementProfile> profile_of(const plan::TaskGraph& graph,
                                         const runtime::RunReport* report);

/// The cost of a file: its tiles, each read or written by a task.
struct FileProfile {
  std::string name;  // of the input or result
  bool is_written = false;
  int64_t num_tasks = 0;
  double bytes = 0;
  int64_t runs = 0;  // of the file, in its tiles
  double estimated_seconds = 0;
  std::optional<double> actual_seconds;

  FileProfile& operator+=(const FileProfile& other);
};

/// Returns a plan's files in the order they are first needed.
std::vector<FileProfile> files_of(const plan::TaskGraph& graph, const runtime::RunReport* report);

/// The work of a site, and its traffic with the others.
struct SiteProfile {
  int64_t num_tasks = 0;
  double bytes_in = 0;
  double bytes_out = 0;
  std::optional<double> actual_bytes_in;  // counted when a run copied them
  std::optional<double> actual_bytes_out;
  int64_t peak_bytes = 0;  // of its tiles and workspaces, one task at a time, nothing paged
  double estimated_seconds = 0;
  std::optional<double> actual_seconds;  // summed over workers

  /// Adds later work of the site.
  SiteProfile& operator+=(const SiteProfile& other);
};

/// Returns a plan's sites in their order.
std::vector<SiteProfile> sites_of(const plan::TaskGraph& graph, const runtime::RunReport* report);

/// The times of a run for reading inputs, writing results and the rest. A moment in which a task
/// computes while another reads is execution; other moments wait for files.
struct RunTimes {
  double execution_seconds = 0;
  double waiting_seconds = 0;  // nothing was computed: together with execution, the whole run
  double read_seconds = 0;     // summed over workers, as is the next
  double write_seconds = 0;

  RunTimes& operator+=(const RunTimes& other);
};
RunTimes times_of(const plan::TaskGraph& graph, const runtime::RunReport& report);

/// Returns the work of a task: its kernel, or `read`, `copy`, `write`.
std::string work_of(const plan::TaskInfo& task);

/// Sums all statements.
StatementProfile total_of(const std::vector<StatementProfile>& statements);

}  // namespace tessera::engine

#pragma once

#include <chrono>

#include "runtime/executor.h"

namespace tessera::cli {

/// A bar on stderr that shows the progress of a run and the remaining time, from kPatience on.
///
/// A task counts by its estimated seconds. The remaining time is the estimate of the rest, scaled
/// by the ratio of the measured to the estimated time so far.
class ProgressBar : public runtime::RunListener {
 public:
  /// Shows the part of a plan that a process runs.
  ProgressBar(const plan::TaskGraph& graph, int32_t process);
  /// Erases the bar.
  ~ProgressBar() override;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void task_finished(plan::TaskId task, const runtime::TaskTiming& timing) override;

 private:
  using Clock = std::chrono::steady_clock;

  /// Returns the weight of a task: 0 if another process runs it.
  double seconds_of(const plan::TaskInfo& task) const;
  void draw(double elapsed);

  const plan::TaskGraph& graph_;
  int32_t process_;
  double estimated_total_ = 0;
  double estimated_done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
  bool visible_ = false;
};

/// True if a bar can be shown: stderr is a terminal that can erase a line.
bool progress_is_visible();

}  // namespace tessera::cli

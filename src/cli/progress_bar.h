#pragma once

#include <chrono>

#include "runtime/executor.h"

namespace tessera::cli {

/// Shows on stderr how far a run has come and how long the rest will take, from kPatience on.
///
/// A task counts by its estimated seconds. The time left is what is estimated for the rest, in the
/// proportion in which the tasks so far took longer or shorter than estimated.
class ProgressBar : public runtime::RunListener {
 public:
  /// Of what a process does of a plan.
  ProgressBar(const plan::TaskGraph& graph, int32_t process);
  /// Wipes the bar away.
  ~ProgressBar() override;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void task_finished(plan::TaskId task, const runtime::TaskTiming& timing) override;

 private:
  using Clock = std::chrono::steady_clock;

  /// What a task counts: nothing where another process runs it.
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

/// Whether a bar is wanted: stderr is a terminal that can wipe a line.
bool progress_is_visible();

}  // namespace tessera::cli

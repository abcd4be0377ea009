#pragma once

#include <optional>
#include <utility>

#include "base/error.h"
#include "plan/task_graph.h"
#include "runtime/threads/schedule.h"

namespace tessera::runtime {

/// The error that a run ends with: that of the earliest task that failed; an error of no task gives
/// way to it. Threads: one at a time.
class FirstFailure {
 public:
  explicit operator bool() const { return error_.has_value(); }

  void add(plan::TaskId task, Error error) {
    const bool is_earlier = !error_ || (task.valid() && (!task_.valid() || task < task_));
    if (is_earlier) {
      task_ = task;
      error_.emplace(std::move(error));
    }
  }

  /// REQUIRES that there is one.
  const Error& error() const { return *error_; }

 private:
  plan::TaskId task_;
  std::optional<Error> error_;
};

/// Returns the exception that is being handled, with the statement that an action belongs to.
Error error_of(const Action& action, const plan::TaskGraph& graph);

}  // namespace tessera::runtime

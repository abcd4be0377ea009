#pragma once

#include <optional>

#include "cli/progress_bar.h"
#include "program/runs/run_follower.h"

namespace tessera::cli {

/// A bar for each plan of a statement, one after the other, if standard error can show one.
class ProgressBars : public program::RunFollower {
 public:
  explicit ProgressBars(bool quiet) : is_visible_(!quiet && progress_is_visible()) {}

  runtime::RunListener* begin(const engine::Plan& plan) override {
    return is_visible_ ? &bar_.emplace(plan.tasks, 0) : nullptr;
  }
  void end() override { bar_.reset(); }

 private:
  bool is_visible_;
  std::optional<ProgressBar> bar_;
};

}  // namespace tessera::cli

#pragma once

#include "engine/planning/stages.h"
#include "runtime/executor.h"

namespace tessera::program {

/// Who follows the runs of tensor parts while they go on: a progress bar.
class RunFollower {
 public:
  virtual ~RunFollower() = default;
  /// Before a plan runs; what hears of its tasks, or null.
  virtual runtime::RunListener* begin(const engine::Plan& plan) = 0;
  /// When it has run, or failed.
  virtual void end() = 0;
};

}  // namespace tessera::program

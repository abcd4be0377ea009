#pragma once

#include "runtime/executor.h"

namespace tessera::runtime {

/// A clock that sums up how long a run waited for each cause. Threads: one at a time.
class WaitingClock {
 public:
  enum class For { nothing, input, memory, worker };

  /// Changes the cause; times are in seconds and do not go back.
  void change(For next, double now) {
    const double passed = now - since_;
    switch (state_) {
      case For::nothing:
        break;
      case For::input:
        seconds_.input += passed;
        break;
      case For::memory:
        seconds_.memory += passed;
        break;
      case For::worker:
        seconds_.worker += passed;
        break;
    }
    state_ = next;
    since_ = now;
  }

  const WaitingSeconds& seconds() const { return seconds_; }

 private:
  For state_ = For::nothing;
  double since_ = 0;
  WaitingSeconds seconds_;
};

}  // namespace tessera::runtime

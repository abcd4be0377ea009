#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "net/delays.h"
#include "net/mpi/callers.h"

namespace tessera::net {

/// What the communicating thread does while nothing happens: it lets others run, then sleeps, ever
/// longer, as MPI wakes nobody. What comes is found after at most an eighth more than it took to
/// come, or a millisecond.
class Pause {
 public:
  explicit Pause(Callers& callers) : callers_(callers) {}

  void reset() { is_new_ = true; }

  /// Returns early where a caller asks for something, and when what is known to be due is.
  void take(Delays::Time due = Delays::Time::max()) {
    using std::chrono::microseconds;
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(is_new_, false)) {
      since_ = now;
    }
    const Callers::Duration waited = now - since_;
    if (waited < microseconds(50)) {
      std::this_thread::yield();
      return;
    }
    const auto sleep = std::clamp<Callers::Duration>(waited / 8, microseconds(20),
                                                     microseconds(1000));
    callers_.sleep(due > now + sleep ? sleep : std::max<Callers::Duration>(due - now, {}));
  }

 private:
  Callers& callers_;
  bool is_new_ = true;  // something happened
  Delays::Time since_;
};

}  // namespace tessera::net

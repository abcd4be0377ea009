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
/// come, or two milliseconds.
///
/// It does not sleep while bytes are on their way, which MPI carries a few at a time where it may
/// not copy from another process: 0.1 GB/s with naps between, 1 to 7 without.
class Pause {
 public:
  explicit Pause(Callers& callers) : callers_(callers) {}

  /// Something happened.
  void reset() { is_new_ = true; }

  /// Returns early where a caller asks for something, and when what is known to be due is.
  void take(Delays::Time due, bool is_moving) {
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(is_new_, false)) {
      since_ = now;
    }
    const Callers::Duration waited = now - since_;
    if (waited < (is_moving ? kPatience : kYielding)) {
      std::this_thread::yield();
      return;
    }
    const Callers::Duration sleep = std::clamp(waited / 8, kShortest, kLongest);
    callers_.sleep(due > now + sleep ? sleep : std::max<Callers::Duration>(due - now, {}));
  }

 private:
  /// Waking a thread takes a fourth of this, so answers that need it come within.
  static constexpr Callers::Duration kYielding = std::chrono::microseconds(200);
  /// One that stands still so long is stopped, or its network is.
  static constexpr Callers::Duration kPatience = std::chrono::seconds(1);
  static constexpr Callers::Duration kShortest = std::chrono::microseconds(20);
  /// Sleeping and waking took 40 us of a core in a virtual machine: 2 % of it.
  static constexpr Callers::Duration kLongest = std::chrono::microseconds(2000);

  Callers& callers_;
  bool is_new_ = true;
  Delays::Time since_;
};

}  // namespace tessera::net

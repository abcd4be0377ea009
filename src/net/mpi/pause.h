#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "net/delays.h"
#include "net/mpi/callers.h"

namespace tessera::net {

/// The pause of the communicating thread while nothing happens: it yields, then sleeps, ever
/// longer, because MPI wakes nobody. An arrival is noticed after at most an eighth more than it
/// took to come, or two milliseconds.
///
/// It does not sleep while bytes are on their way, which MPI carries a few at a time if it may not
/// copy from another process: 0.1 GB/s with naps between, 1 to 7 without.
class Pause {
 public:
  explicit Pause(Callers& callers) : callers_(callers) {}

  /// Notes that something happened.
  void reset() { is_new_ = true; }

  /// Pauses. Returns early for a request, and when a known event is due.
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
  /// Waking a thread takes a fourth of this, so answers that need it arrive within.
  static constexpr Callers::Duration kYielding = std::chrono::microseconds(200);
  /// Traffic without progress for this long is stopped, or its network is down.
  static constexpr Callers::Duration kPatience = std::chrono::seconds(1);
  static constexpr Callers::Duration kShortest = std::chrono::microseconds(20);
  /// Sleeping and waking took 40 us of a core in a virtual machine: 2 % of it.
  static constexpr Callers::Duration kLongest = std::chrono::microseconds(2000);

  Callers& callers_;
  bool is_new_ = true;
  Delays::Time since_;
};

}  // namespace tessera::net

#pragma once

#include <atomic>
#include <thread>

namespace tessera::cli {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM set a flag that a run looks at between its tasks.
///
/// Where the run does not end by itself within kPatienceSeconds (one task may compute for longer),
/// the process ends: results that are being written have no name yet (io::AtomicFile), so nothing
/// is left behind. One at a time.
class Interrupt {
 public:
  static constexpr double kPatienceSeconds = 1.5;

  /// By the shells' convention: 130 after SIGINT, 143 after SIGTERM; 130 where another process was
  /// interrupted.
  static int exit_code();

  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& requested() const;

 private:
  std::jthread watch_;
};

}  // namespace tessera::cli

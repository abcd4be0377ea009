#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace tessera::cli {

/// A handler of Ctrl-C (SIGINT) and SIGTERM while it lives: they set a flag that a run tests
/// between its tasks.
///
/// If the run does not end by itself within kPatienceSeconds (one task may compute for longer), the
/// process ends, unless the patience is endless: results in progress have no name yet
/// (io::AtomicFile), so nothing is left behind. The destructor restores the former handlers. One at
/// a time.
class Interrupt {
 public:
  enum class Patience : uint8_t { limited, endless };
  static constexpr double kPatienceSeconds = 1.5;
  static constexpr int kExitCodeOfControlC = 130;

  /// Returns the exit code by the shells' convention: 130 after SIGINT, 143 after SIGTERM; 130 if
  /// another process was interrupted.
  static int exit_code();

  explicit Interrupt(Patience patience = Patience::limited);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& requested() const;

 private:
  struct sigaction on_interrupt_ = {};  // the former actions
  struct sigaction on_terminate_ = {};
};

}  // namespace tessera::cli

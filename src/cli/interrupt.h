#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace tessera::cli {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM set a flag that a run looks at between its tasks.
///
/// Where the run does not end by itself within kPatienceSeconds (one task may compute for longer),
/// the process ends, unless the patience is endless: results that are being written have no name
/// yet (io::AtomicFile), so nothing is left behind. Afterwards the signals do what they did before.
/// One at a time.
class Interrupt {
 public:
  enum class Patience : uint8_t { limited, endless };
  static constexpr double kPatienceSeconds = 1.5;
  static constexpr int kExitCodeOfControlC = 130;

  /// By the shells' convention: 130 after SIGINT, 143 after SIGTERM; 130 where another process was
  /// interrupted.
  static int exit_code();

  explicit Interrupt(Patience patience = Patience::limited);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& requested() const;

 private:
  struct sigaction on_interrupt_ = {};  // what there was before
  struct sigaction on_terminate_ = {};
};

}  // namespace tessera::cli

#include "cli/interrupt.h"

#include <chrono>
#include <csignal>

#include <unistd.h>

namespace tessera::cli {

namespace {

/// Static, because a signal handler reaches nothing else. (Waiting for blocked signals in a thread
/// would need none, but OpenBLAS starts threads that do not block them before main begins.)
std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note_signal(int) {
  signalled = true;
}

void set_action(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void end_process() {
  static constexpr char kMessage[] =
      "tessera: interrupted: the run was stopped within a task; nothing was written\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  ::_exit(Interrupt::kExitCode);
}

void watch(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPoll(20);
  const std::chrono::duration<double> patience(Interrupt::kPatienceSeconds);
  while (!stop.stop_requested() && !signalled) {
    std::this_thread::sleep_for(kPoll);
  }
  const auto asked = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(kPoll);
    if (std::chrono::steady_clock::now() - asked > patience) {
      end_process();
    }
  }
}

}  // namespace

Interrupt::Interrupt() {
  signalled = false;
  set_action(&note_signal);
  watch_ = std::jthread([](const std::stop_token& stop) { watch(stop); });
}

Interrupt::~Interrupt() {
  set_action(SIG_DFL);
}

const std::atomic<bool>& Interrupt::requested() const {
  return signalled;
}

}  // namespace tessera::cli

#include "cli/interrupt.h"

#include <cerrno>
#include <chrono>
#include <csignal>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::cli {

namespace {

/// Static, because a signal handler reaches nothing else. (Waiting for blocked signals in a thread
/// would need none, but OpenBLAS starts threads that do not block them before main begins.)
std::atomic<bool> signalled = false;
std::atomic<int> received = SIGINT;  // which signal came last
std::atomic<int> wake_descriptor = -1;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_descriptor, &one, sizeof(one));
}

void note_signal(int signal) {
  const int error = errno;
  received = signal;
  signalled = true;
  wake();
  errno = error;
}

/// Waits for wake(), at most so long; negative: for ever. Returns whether it came.
bool was_woken(int milliseconds) {
  pollfd descriptor = {wake_descriptor, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&descriptor, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  uint64_t count = 0;
  return ready > 0 && ::read(wake_descriptor, &count, sizeof(count)) > 0;
}

void end_process() {
  static constexpr char kMessage[] =
      "tessera: interrupted: the run was stopped within a task; no result was written\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  ::_exit(Interrupt::exit_code());
}

/// After a signal the run has to end within kPatienceSeconds.
void watch(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  while (!signalled && !stop.stop_requested()) {
    was_woken(-1);
  }
  const auto deadline = Clock::now() + std::chrono::duration<double>(Interrupt::kPatienceSeconds);
  while (!stop.stop_requested()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      end_process();
    }
    was_woken(static_cast<int>(left));
  }
}

}  // namespace

Interrupt::Interrupt(Patience patience) {
  signalled = false;
  wake_descriptor = ::eventfd(0, EFD_CLOEXEC);
  if (wake_descriptor < 0) {
    throw_error(ErrorKind::resource, "the process has no file descriptor left");
  }
  struct sigaction action = {};
  action.sa_handler = &note_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &on_interrupt_);
  sigaction(SIGTERM, &action, &on_terminate_);
  if (patience == Patience::limited) {
    watch_ = std::jthread([](const std::stop_token& stop) { watch(stop); });
  }
}

Interrupt::~Interrupt() {
  if (watch_.joinable()) {
    watch_.request_stop();
    wake();
    watch_.join();
  }
  sigaction(SIGINT, &on_interrupt_, nullptr);
  sigaction(SIGTERM, &on_terminate_, nullptr);
  ::close(wake_descriptor);
}

int Interrupt::exit_code() {
  constexpr int kOfSignals = 128;
  return kOfSignals + received;
}

const std::atomic<bool>& Interrupt::requested() const {
  return signalled;
}

}  // namespace tessera::cli

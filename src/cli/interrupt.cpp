#include "cli/interrupt.h"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <unistd.h>

#include "base/error.h"

namespace tessera::cli {

namespace {

/// A flag; static, because a signal handler reaches nothing else.
std::atomic<bool> signalled = false;
std::atomic<int> received = SIGINT;  // the last signal
std::atomic<bool> has_deadline = false;
std::atomic<timer_t> deadline = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<timer_t>::is_always_lock_free);

/// Returns the signal of the deadline, which no linked library sends.
int deadline_signal() {
  return SIGRTMIN;
}

void note_signal(int signal) {
  const int error = errno;
  received = signal;
  if (!signalled.exchange(true) && has_deadline) {
    constexpr auto kSeconds = static_cast<time_t>(Interrupt::kPatienceSeconds);
    constexpr double kNanoseconds =
        1e9 * (Interrupt::kPatienceSeconds - static_cast<double>(kSeconds));
    constexpr itimerspec kPatience = {
        {0, 0}, {kSeconds, static_cast<decltype(timespec::tv_nsec)>(kNanoseconds)}};
    ::timer_settime(deadline, 0, &kPatience, nullptr);
  }
  errno = error;
}

/// Ends the process if the run still goes on.
void end_process(int) {
  static constexpr char kMessage[] =
      "tessera: interrupted: the run was stopped within a task; no result was written\n";
  if (has_deadline) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
    ::_exit(Interrupt::exit_code());
  }
}

/// Creates the timer that ends the process when it expires.
timer_t new_deadline() {
  struct sigaction action = {};
  action.sa_handler = &end_process;
  action.sa_flags = SA_RESTART;
  sigaction(deadline_signal(), &action, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = deadline_signal();
  timer_t made = nullptr;
  if (::timer_create(CLOCK_MONOTONIC, &event, &made) != 0) {
    throw_error(ErrorKind::resource, "the process can have no timer: {}", errno);
  }
  return made;
}

}  // namespace

Interrupt::Interrupt(Patience patience) {
  if (patience == Patience::limited) {
    // One for all, because a script runs thousands of statements a second.
    static const timer_t timer = new_deadline();
    deadline = timer;
  }
  signalled = false;
  has_deadline = patience == Patience::limited;
  struct sigaction action = {};
  action.sa_handler = &note_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &on_interrupt_);
  sigaction(SIGTERM, &action, &on_terminate_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &on_interrupt_, nullptr);
  sigaction(SIGTERM, &on_terminate_, nullptr);
  if (has_deadline.exchange(false) && signalled) {
    constexpr itimerspec kUnset = {};
    ::timer_settime(deadline, 0, &kUnset, nullptr);
  }
}

int Interrupt::exit_code() {
  constexpr int kOfSignals = 128;
  return kOfSignals + received;
}

const std::atomic<bool>& Interrupt::requested() const {
  return signalled;
}

}  // namespace tessera::cli

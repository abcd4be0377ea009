#include "base/prompt_thread.h"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera {

namespace {

/// The argument of the system call (sched_setattr(2)); the C library of Debian 12 has neither.
struct SchedulingAttributes {
  uint32_t size = sizeof(SchedulingAttributes);
  uint32_t policy = SCHED_OTHER;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime_nanoseconds = 0;  // of a time slice; 0.1 ms is the least for this policy
  uint64_t deadline_nanoseconds = 0;
  uint64_t period_nanoseconds = 0;
};

}  // namespace

void ask_for_short_turns() {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0U) != 0 ||
      attributes.policy != SCHED_OTHER) {
    return;
  }
  attributes.runtime_nanoseconds = 100'000;
  syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

}  // namespace tessera

#include "base/prompt_thread.h"

#include <array>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera::prompt_thread_test {
namespace {

/// Nanoseconds of a turn of the calling thread, as the system has it: the fourth word of what
/// sched_getattr(2) fills in.
uint64_t turn_of_this_thread() {
  std::array<uint64_t, 6> attributes{};
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, attributes.data(), sizeof(attributes), 0U), 0);
  return attributes[3];
}

TEST(PromptThread, HasShortTurnsAndTheSameShare) {
  const int nice_before = getpriority(PRIO_PROCESS, 0);
  uint64_t before = 0, after = 0;
  int policy = -1, nice_after = -1;
  std::thread thread([&] {
    before = turn_of_this_thread();
    ask_for_short_turns();
    after = turn_of_this_thread();
    policy = sched_getscheduler(0);
    nice_after = getpriority(PRIO_PROCESS, 0);
  });
  thread.join();
  EXPECT_EQ(policy, SCHED_OTHER);
  EXPECT_EQ(nice_after, nice_before);
  if (before == 0) {
    GTEST_SKIP() << "this system has turns of one length: Linux before 6.12";
  }
  EXPECT_EQ(after, 100'000U);
  EXPECT_EQ(turn_of_this_thread(), before) << "the turns of another thread are as they were";
}

}  // namespace
}  // namespace tessera::prompt_thread_test

#include "machine/machine.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tessera::machine_test {
namespace {

TEST(Machine, IsThisOne) {
  const Machine machine = this_machine();
  EXPECT_EQ(machine.isa, widest_isa());
  EXPECT_GE(machine.threads, 1);
  EXPECT_GT(machine.host().bytes, 0);
  EXPECT_LE(machine.host().bytes, sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE))
      << "a control group may give less, never more";
}

TEST(Machine, IsTheSameEachTime) {
  const Machine one = this_machine();
  const Machine other = this_machine();
  EXPECT_EQ(one.host().bytes, other.host().bytes);
  EXPECT_EQ(one.threads, other.threads);
}

}  // namespace
}  // namespace tessera::machine_test

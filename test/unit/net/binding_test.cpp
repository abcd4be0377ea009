#include "net/binding.h"

#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

namespace tessera::net::binding_test {
namespace {

int num_cores() {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

/// Cores that a thread may run on which is bound to its first one and then looks at this
/// environment.
int cores_after(const std::map<std::string, std::string>& variables) {
  int seen = 0;
  std::thread([&] {  // what it is bound to ends with it
    cpu_set_t cores;
    ::sched_getaffinity(0, sizeof cores, &cores);
    int first = 0;
    while (!CPU_ISSET(first, &cores)) {
      ++first;
    }
    CPU_ZERO(&cores);
    CPU_SET(first, &cores);
    ::sched_setaffinity(0, sizeof cores, &cores);
    leave_narrow_binding([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
    seen = num_cores();
  })
      .join();
  return seen;
}

TEST(Binding, IsLeftWhereAnEvenShareIsMore) {
  const int all = num_cores();
  EXPECT_GE(cores_after({{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}}), all);
}

TEST(Binding, StaysWhereItIsTheShareOrTheUsersWish) {
  EXPECT_EQ(cores_after({{"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(num_cores())}}), 1);
  EXPECT_EQ(cores_after({{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                         {"OMPI_MCA_hwloc_base_binding_policy", "core"}}),
            1);
  EXPECT_EQ(cores_after({}), 1);
}

}  // namespace
}  // namespace tessera::net::binding_test

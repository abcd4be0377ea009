#include "engine/processes/common_machine.h"

#include <thread>

#include <gtest/gtest.h>

#include "net/loopback.h"

namespace tessera::engine::common_machine_test {
namespace {

TEST(CommonMachine, IsTheLeastOfEachWithTheHostSharedEvenly) {
  const std::vector<std::unique_ptr<net::Link>> links = net::make_loopback(2);
  std::vector<Machine> machines(2);
  machines[0].isa = Isa::avx512;
  machines[1].isa = Isa::avx2;
  machines[0].bf16 = Bf16Unit::amx;
  machines[1].bf16 = Bf16Unit::avx512;
  machines[0].threads = machines[1].threads = 1000;
  machines[0].spaces.front().bytes = 1000;
  machines[1].spaces.front().bytes = 600;
  std::vector<std::jthread> threads;
  for (size_t process = 0; process < 2; ++process) {
    threads.emplace_back(
        [&, process] { machines[process] = common_machine(*links[process], machines[process]); });
  }
  threads.clear();
  const auto cores = static_cast<int32_t>(std::thread::hardware_concurrency());
  for (const Machine& machine : machines) {
    EXPECT_EQ(machine.isa, Isa::avx2);
    EXPECT_EQ(machine.bf16, Bf16Unit::avx512);
    EXPECT_EQ(machine.threads, std::max(1, cores / 2));
    EXPECT_EQ(machine.host().bytes, 300);
  }
}

}  // namespace
}  // namespace tessera::engine::common_machine_test

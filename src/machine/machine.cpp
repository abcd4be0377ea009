#include "machine/machine.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include <unistd.h>

namespace tessera {

namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

/// Returns the number in a limit file; unlimited if there is no file or it says `max`.
int64_t limit_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  int64_t bytes = 0;
  return file >> bytes ? bytes : kUnlimited;
}

/// Returns the least limit of a control group and its ancestors, up to the root of its hierarchy.
int64_t limit_along(const std::filesystem::path& root, const std::filesystem::path& group,
                    const std::string& file) {
  int64_t least = limit_in(root / file);
  for (auto at = group.relative_path(); !at.empty(); at = at.parent_path()) {
    least = std::min(least, limit_in(root / at / file));
  }
  return least;
}

/// Returns the limit of the process's control groups. A line of /proc/self/cgroup is
/// number:controllers:path; version 2 has number 0 and no controllers.
int64_t control_group_limit() {
  std::ifstream groups("/proc/self/cgroup");
  int64_t least = kUnlimited;
  for (std::string line; std::getline(groups, line);) {
    const size_t path = line.rfind(':') + 1;
    if (line.rfind("0::", 0) == 0) {
      least = std::min(least, limit_along("/sys/fs/cgroup", line.substr(path), "memory.max"));
    } else if (line.find(":memory:") != std::string::npos) {
      least = std::min(
          least, limit_along("/sys/fs/cgroup/memory", line.substr(path), "memory.limit_in_bytes"));
    }
  }
  return least;
}

int64_t memory_bytes() {
  const int64_t physical = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return std::min(physical, control_group_limit());
}

}  // namespace

KernelRates rates_beside(const Machine& machine, int32_t cores) {
  KernelRates rates = machine.rates;
  const double share = machine.shared_bytes_per_second / std::max(cores, 1);
  for (double* const rate : {&rates.bytes_per_second, &rates.streamed_bytes_per_second,
                             &rates.permuted_bytes_per_second}) {
    *rate = std::min(*rate, share);
  }
  return rates;
}

Machine this_machine() {
  Machine machine;
  machine.isa = widest_isa();
  machine.bf16 = widest_bf16_unit();
  machine.threads = static_cast<int32_t>(std::max(1U, std::thread::hardware_concurrency()));
  machine.spaces.front().bytes = memory_bytes();
  return machine;
}

}  // namespace tessera

#include "engine/processes/common_machine.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "base/error.h"
#include "net/messages.h"

namespace tessera::engine {

namespace {

/// The cores that a process may run on.
using Cores = std::bitset<CPU_SETSIZE>;

Cores cores_of_process() {
  cpu_set_t set;
  Cores cores;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (size_t core = 0; core < cores.size(); ++core) {
      cores[core] = CPU_ISSET(core, &set) != 0;
    }
  }
  return cores;
}

/// A process's facts about its machine.
struct Facts {
  std::array<char, 256> host{};  // as long as a name may be
  Cores cores;
  int64_t isa = 0;
  int64_t bf16 = 0;
  int64_t threads = 0;
  int64_t bytes = 0;
};

template <class Value>
Value read(const std::vector<std::byte>& bytes) {
  Value value;
  TESSERA_CHECK(bytes.size() == sizeof value, "{} bytes were heard, not {}", bytes.size(),
                sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// The number of processes that share a host, and its cores.
struct Sharing {
  int64_t num_processes = 0;
  std::array<int64_t, CPU_SETSIZE> of_core{};
};

/// Returns the threads that a process has cores for, if each core is shared evenly; all that it
/// asks for if its cores are unknown.
int64_t threads_of(const Facts& facts, const Sharing& sharing) {
  constexpr double kRounding = 1e-6;
  double share = facts.cores.none() ? static_cast<double>(facts.threads) : kRounding;
  for (size_t core = 0; core < facts.cores.size(); ++core) {
    share += facts.cores[core] ? 1.0 / static_cast<double>(sharing.of_core[core]) : 0;
  }
  return std::clamp<int64_t>(static_cast<int64_t>(share), 1, facts.threads);
}

/// Returns the least of each fact over processes, with each host's shared evenly.
Facts least_of(const std::vector<std::vector<std::byte>>& heard) {
  std::vector<Facts> all;
  std::map<std::string, Sharing> hosts;
  for (const std::vector<std::byte>& bytes : heard) {
    const Facts& facts = all.emplace_back(read<Facts>(bytes));
    Sharing& sharing = hosts[facts.host.data()];
    ++sharing.num_processes;
    for (size_t core = 0; core < facts.cores.size(); ++core) {
      sharing.of_core[core] += facts.cores[core] ? 1 : 0;
    }
  }
  Facts least = all.front();
  for (const Facts& facts : all) {
    const Sharing& sharing = hosts[facts.host.data()];
    least.isa = std::min(least.isa, facts.isa);
    least.bf16 = std::min(least.bf16, facts.bf16);
    least.threads = std::min(least.threads, threads_of(facts, sharing));
    least.bytes = std::min(least.bytes, facts.bytes / sharing.num_processes);
  }
  return least;
}

}  // namespace

Machine common_machine(net::Link& link, Machine own) {
  Facts facts{{},
              cores_of_process(),
              static_cast<int64_t>(own.isa),
              static_cast<int64_t>(own.bf16),
              std::max<int64_t>(1, own.threads),
              own.host().bytes};
  ::gethostname(facts.host.data(), facts.host.size() - 1);
  const auto heard = net::gather(link, std::as_bytes(std::span(&facts, 1)));
  if (!heard.empty()) {
    facts = least_of(heard);
  }
  facts = read<Facts>(net::broadcast(link, std::as_bytes(std::span(&facts, 1))));
  own.isa = static_cast<Isa>(facts.isa);
  own.bf16 = static_cast<Bf16Unit>(facts.bf16);
  own.threads = static_cast<int32_t>(facts.threads);
  own.spaces.front().bytes = facts.bytes;
  return own;
}

}  // namespace tessera::engine

#include "engine/processes/common_machine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "net/messages.h"

namespace tessera::engine {

namespace {

/// What a process says of its machine.
struct Facts {
  std::array<char, 256> host{};  // as long as a name may be
  int64_t isa = 0;
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

/// The least of each that any process has, its host's shared evenly.
Facts least_of(const std::vector<std::vector<std::byte>>& heard) {
  std::vector<Facts> all;
  std::map<std::string, int64_t> num_on_host;
  for (const std::vector<std::byte>& bytes : heard) {
    all.push_back(read<Facts>(bytes));
    ++num_on_host[all.back().host.data()];
  }
  Facts least = all.front();
  for (const Facts& facts : all) {
    const int64_t sharing = num_on_host[facts.host.data()];
    least.isa = std::min(least.isa, facts.isa);
    least.threads = std::max<int64_t>(1, std::min(least.threads, facts.threads / sharing));
    least.bytes = std::min(least.bytes, facts.bytes / sharing);
  }
  return least;
}

}  // namespace

Machine common_machine(net::Link& link, Machine own) {
  Facts facts{{}, static_cast<int64_t>(own.isa), own.threads, own.host().bytes};
  ::gethostname(facts.host.data(), facts.host.size() - 1);
  const auto heard = net::gather(link, std::as_bytes(std::span(&facts, 1)));
  if (!heard.empty()) {
    facts = least_of(heard);
  }
  facts = read<Facts>(net::broadcast(link, std::as_bytes(std::span(&facts, 1))));
  own.isa = static_cast<Isa>(facts.isa);
  own.threads = static_cast<int32_t>(facts.threads);
  own.spaces.front().bytes = facts.bytes;
  return own;
}

}  // namespace tessera::engine

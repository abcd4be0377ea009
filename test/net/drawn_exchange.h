#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::net {

/// The messages of an exchange between processes, which each draws alike.
class DrawnExchange {
 public:
  DrawnExchange(int32_t num_processes, uint64_t seed, int64_t longest)
      : num_processes_(num_processes), seed_(seed), longest_(longest) {}

  /// How long the messages from one to another are, in order: from none to the longest.
  std::vector<int64_t> sizes(int32_t from, int32_t to) const;

  /// Fills a message, or compares one with what it should be.
  void fill(int32_t from, int32_t to, size_t message, std::span<std::byte> bytes) const;
  bool is_right(int32_t from, int32_t to, size_t message, std::span<const std::byte> bytes) const;

 private:
  uint64_t seed_of(int32_t from, int32_t to, size_t message) const;

  int32_t num_processes_;
  uint64_t seed_;
  int64_t longest_;
};

}  // namespace tessera::net

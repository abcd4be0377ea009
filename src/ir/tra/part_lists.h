#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/tra/keys.h"

namespace tessera::tra {

/// Which tuples of an input each tuple of a result is made from, by number: the places of their
/// keys in row-major order.
class PartLists {
 public:
  /// One each.
  static PartLists one_each(std::vector<int64_t> numbers);
  /// By the number of the tuple of the result that each tuple of the input goes into. One that is
  /// absent may go outside.
  static PartLists grouped(const std::vector<int64_t>& into, size_t num_groups);
  /// The same where every tuple of a group is made from all of the input's that go into it, which
  /// are those that are `merged`.
  static PartLists shared(std::vector<int64_t> groups, const std::vector<bool>& merged,
                          size_t num_groups);
  /// Of tuples that others are pieces of, or of windows, which may share some. REQUIRES that `from`
  /// has every dimension of `to`, with every cut of it.
  static PartLists merged(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to);

  std::span<const int64_t> of(size_t tuple) const;

 private:
  std::vector<int64_t> group_;  // by tuple; empty where each is a group of its own
  std::vector<size_t> first_;
  std::vector<int64_t> items_;
};

}  // namespace tessera::tra

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/tra/keys.h"

namespace tessera::tra {

/// The input tuples of each tuple of a result, by number: the places of their keys in row-major
/// order.
class PartLists {
 public:
  /// Makes lists of one tuple each.
  static PartLists one_each(std::vector<int64_t> numbers);
  /// Makes lists from the result tuple that each input tuple goes into. An absent one may go
  /// outside.
  static PartLists grouped(const std::vector<int64_t>& into, size_t num_groups);
  /// Makes lists for groups in which every tuple is made from all of the group's `merged` input
  /// tuples.
  static PartLists shared(std::vector<int64_t> groups, const std::vector<bool>& merged,
                          size_t num_groups);
  /// Makes lists for tuples that others are pieces of, or for windows, which may share some.
  /// REQUIRES that `from` has every dimension of `to`, with every cut of it.
  static PartLists merged(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to);

  std::span<const int64_t> of(size_t tuple) const;

 private:
  std::vector<int64_t> group_;  // by tuple; empty if each is a group of its own
  std::vector<size_t> first_;
  std::vector<int64_t> items_;
};

}  // namespace tessera::tra

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/ia/graph.h"
#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// In place of a tuple that is absent.
inline constexpr int32_t kNoTuple = -1;

/// The tuple of every key of a relation, in row-major order.
using TuplesByKey = std::vector<int32_t>;

/// The tuples of all relations of a program, by number, and where they are as far as that is
/// planned. Numbers of a node's tuples ascend with their keys.
class Tuples {
 public:
  explicit Tuples(int32_t num_sites) : needed_(num_sites) {}

  size_t size() const { return home_.size(); }

  /// A tuple that is made, or that may start anywhere.
  int32_t add() { return add_part_of(static_cast<int32_t>(size())); }
  /// A view of another: a piece, or the same under a new key. It is where the other is at first.
  int32_t add_view(int32_t of) { return add_part_of(root_[static_cast<size_t>(of)]); }

  /// Where it is before it is sent anywhere; kUnassigned where that is still open.
  int32_t home(int32_t tuple) const {
    return home_[static_cast<size_t>(root_[static_cast<size_t>(tuple)])];
  }
  /// Settles where it is, if that is open.
  void settle(int32_t tuple, int32_t site) {
    int32_t& home = home_[static_cast<size_t>(root_[static_cast<size_t>(tuple)])];
    home = home == kUnassigned ? site : home;
  }

  /// The sites that make something of it.
  const SiteRows& needed() const { return needed_; }
  void need(int32_t tuple, int32_t site) { needed_.add(static_cast<size_t>(tuple), site); }

  /// The number that a tuple has in the statement that is being made, or `next` from here on, and
  /// whether it is new.
  std::pair<int32_t, bool> number_in_statement(int32_t tuple, size_t next) {
    number_.resize(size(), kNoTuple);
    int32_t& number = number_[static_cast<size_t>(tuple)];
    const bool is_new = number == kNoTuple;
    number = is_new ? static_cast<int32_t>(next) : number;
    return {number, is_new};
  }
  /// Forgets the numbers of these.
  void end_statement(const std::vector<int32_t>& tuples) {
    for (const int32_t tuple : tuples) {
      number_[static_cast<size_t>(tuple)] = kNoTuple;
    }
  }

 private:
  int32_t add_part_of(int32_t root) {
    root_.push_back(root);
    home_.push_back(kUnassigned);
    needed_.resize(root_.size());
    return static_cast<int32_t>(root_.size()) - 1;
  }

  std::vector<int32_t> root_;  // what it is a view of, in the end; itself for others
  std::vector<int32_t> home_;  // of roots
  SiteRows needed_;
  std::vector<int32_t> number_;  // in the statement that is being made
};

}  // namespace tessera::placement::two_phase

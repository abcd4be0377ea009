#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/ia/graph.h"
#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// Stands for an absent tuple.
inline constexpr int32_t kNoTuple = -1;

/// The tuple of every key of a relation, in row-major order.
using TuplesByKey = std::vector<int32_t>;

/// The tuples of all relations of a program, by number, with their sites as far as these are
/// planned. Numbers of a node's tuples ascend with their keys.
class Tuples {
 public:
  explicit Tuples(int32_t num_sites) : needed_(num_sites) {}

  size_t size() const { return home_.size(); }

  /// Adds a tuple that is computed, or that may start anywhere.
  int32_t add() { return add_part_of(static_cast<int32_t>(size())); }
  /// Adds a view of another tuple: a piece, or the same under a new key. It starts at the other's
  /// place.
  int32_t add_view(int32_t of) { return add_part_of(root_[static_cast<size_t>(of)]); }

  /// Returns its first site; kUnassigned if that is open.
  int32_t home(int32_t tuple) const {
    return home_[static_cast<size_t>(root_[static_cast<size_t>(tuple)])];
  }
  /// Settles its site, if that is open.
  void settle(int32_t tuple, int32_t site) {
    int32_t& home = home_[static_cast<size_t>(root_[static_cast<size_t>(tuple)])];
    home = home == kUnassigned ? site : home;
  }

  /// The sites that use it.
  const SiteRows& needed() const { return needed_; }
  void need(int32_t tuple, int32_t site) { needed_.add(static_cast<size_t>(tuple), site); }

  /// Returns the number of a tuple in the current statement, or `next` from here on, and true if it
  /// is new.
  std::pair<int32_t, bool> number_in_statement(int32_t tuple, size_t next) {
    number_.resize(size(), kNoTuple);
    int32_t& number = number_[static_cast<size_t>(tuple)];
    const bool is_new = number == kNoTuple;
    number = is_new ? static_cast<int32_t>(next) : number;
    return {number, is_new};
  }
  /// Forgets the numbers of these tuples.
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

  std::vector<int32_t> root_;  // the original of a view; itself for others
  std::vector<int32_t> home_;  // of roots
  SiteRows needed_;
  std::vector<int32_t> number_;  // in the current statement
};

}  // namespace tessera::placement::two_phase

#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// A lower bound on the cost of every assignment, raised by moving costs between variables and
/// dependencies (dual block-coordinate ascent).
///
/// Every variable has a share of the whole cost for each of its alternatives, every dependency for
/// each pair of classes; the shares add up to the cost. The sum of their minima bounds it from
/// below. A sweep goes through the variables in order, and back: each takes from its earlier
/// dependencies their least shares, and gives its later dependencies equal parts, so that the next
/// variables can take them. The bound never falls; on a forest in which no statement reads another
/// twice, it is exact after half a sweep.
///
/// Source: Kolmogorov, Convergent Tree-Reweighted Message Passing, TPAMI 28(10), 2006, in the form
/// that keeps the shares explicit.
class LowerBound {
 public:
  explicit LowerBound(const Problem& problem);

  void sweep();
  double value() const;
  /// Removes the alternatives that cannot be part of an assignment cheaper than `cost` by more than
  /// `slack`. Returns false if a variable has none left: no such assignment exists.
  bool prune(double cost, double slack);
  /// Returns an assignment that the shares suggest.
  Assignment suggestion() const;
  /// Returns the alternatives that are left, by variable.
  std::vector<std::vector<int32_t>> remaining() const;
  /// Pairs of classes looked at so far, which the time is proportional to.
  int64_t work() const { return work_; }

 private:
  enum class Direction : uint8_t { forward, backward };
  enum class End : uint8_t { producer, consumer };  // of a dependency

  void half_sweep(Direction direction);
  void take(int32_t dependency, End taker);
  void give(size_t variable, const std::vector<int32_t>& dependencies, double part, End giver);
  void find_active_classes(int32_t dependency);
  double least_share(size_t variable) const;
  std::vector<double> least_pair_shares(int32_t dependency, End end) const;
  double pair_share(int32_t dependency, int32_t producer_class, int32_t consumer_class) const;
  const std::vector<int32_t>& classes(int32_t dependency, End end) const;

  const Problem& problem_;
  bool is_first_ = true;
  int64_t work_ = 0;
  std::vector<std::vector<double>> share_;    // by variable, by alternative
  std::vector<std::vector<char>> is_active_;  // by variable, by alternative
  /// The cost taken from a dependency, by class of its producer and of its consumer.
  std::vector<std::vector<double>> from_producer_;
  std::vector<std::vector<double>> from_consumer_;
  std::vector<std::vector<int32_t>>
      active_producer_;  // classes with an active alternative, by dependency
  std::vector<std::vector<int32_t>> active_consumer_;
};

}  // namespace tessera::optimizer::assignment

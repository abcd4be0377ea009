#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "program/frames/operators.h"

namespace tessera::program::frames {

/// Counts of how often operators of one kind were pipelined into their only reader of another kind
/// in earlier workloads: computed together with it, so that the tensor between them never existed.
class PipeliningHistory {
 public:
  struct Pair {
    OperatorKind producer;
    OperatorKind reader;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  struct Counts {
    int64_t seen = 0;
    int64_t pipelined = 0;
  };

  void note(Pair pair, bool was_pipelined) { add(pair, {1, was_pipelined ? 1 : 0}); }
  void add(Pair pair, Counts counts);
  /// The fraction that was pipelined; a half while nothing was seen (Laplace's rule of succession).
  double fraction(Pair pair) const;
  const std::map<Pair, Counts>& counts() const { return counts_; }

 private:
  std::map<Pair, Counts> counts_;
};

/// Estimated probabilities that an operator would be pipelined into a reader if all were planned at
/// once: p_ij of Recursive SQL §6.3. It is 1 for an only reader that selects or aggregates, and the
/// frequency in the history for another one; each of k readers has a k-th of that.
class Beliefs {
 public:
  Beliefs(const OperatorGraph& graph, const PipeliningHistory& history);
  /// Every edge counts the same: what is minimised is how many are cut.
  static Beliefs equal(const OperatorGraph& graph);

  double of(size_t producer, size_t reader) const;

 private:
  explicit Beliefs(const OperatorGraph& graph) : graph_(&graph) {}

  const OperatorGraph* graph_;
  const PipeliningHistory* history_ = nullptr;  // null: all are 1
};

}  // namespace tessera::program::frames

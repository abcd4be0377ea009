#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "expr/monoid.h"

namespace tessera::expr {

/// The extremum whose first position an aggregate gives: argmax, argmin.
enum class Extremum : uint8_t { none, largest, smallest };

/// An aggregate by name: sum, max, argmax, ... One file each in expr/aggregates/, registered there.
struct Aggregate {
  std::string name;
  std::string summary;  // one line for the reference page
  std::string numpy;    // numpy's name for it, or another library's: scipy.special.logsumexp
  std::function<BoundAggregate(DType element)>
      bind;  // throws a user Error for a dtype without meaning (argmax of complex)
  /// True if every entry of a merged state is that entry of one of the two: nothing is computed, so
  /// nothing rounds, and the order of merging does not show in any bit.
  bool picks_argument = false;
  Extremum position_of = Extremum::none;
};

/// The aggregates that a session knows. Threads: filled once, then read by any number.
class AggregateRegistry {
 public:
  void add(Aggregate aggregate);
  const Aggregate* find(const std::string& name) const;  // null if there is none
  std::vector<std::string> names() const;                // sorted

 private:
  std::map<std::string, Aggregate> aggregates_;
};

/// Adds every aggregate of expr/aggregates/ (the list is generated from the folder).
void register_all_aggregates(AggregateRegistry& registry);

}  // namespace tessera::expr

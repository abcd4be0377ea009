#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.h"
#include "optimizer/rewrite/rule.h"

namespace tessera::optimizer::rewrite {

/// Rounds over rules after which they are taken to undo each other.
inline constexpr int64_t kMostRounds = 100;

/// Applies rules in turn until none changes anything; `apply` says of a rule whether it did.
/// Errors: internal, with the rules that undo each other, where they come to no end.
template <class Graph, class Apply>
void to_fixpoint(const std::vector<const Rule<Graph>*>& rules, Apply apply,
                 int64_t most_rounds = kMostRounds) {
  std::vector<std::string> last_round;
  for (int64_t round = 0; round < most_rounds; ++round) {
    last_round.clear();
    for (const Rule<Graph>* rule : rules) {
      if (apply(*rule)) {
        last_round.push_back(rule->name);
      }
    }
    if (last_round.empty()) {
      return;
    }
  }
  throw_error(ErrorKind::internal,
              "after {} rounds the rules {} still undo each other; switch one of them off",
              most_rounds, fmt::join(last_round, ", "));
}

}  // namespace tessera::optimizer::rewrite

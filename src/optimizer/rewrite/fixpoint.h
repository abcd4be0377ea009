#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.h"
#include "optimizer/rewrite/report.h"
#include "optimizer/rewrite/rule.h"

namespace tessera::optimizer::rewrite {

/// Rounds over rules after which they are assumed to undo each other.
inline constexpr int64_t kMostRounds = 100;

/// Applies rules in turn until none changes anything. `apply` returns true if a rule did; it has to
/// be a function of the rule and the graph. Each rule is applied until it changes nothing before
/// the next one is tried, and a rule that found nothing is tried again only after another one has
/// changed something: most rules find nothing, and looking takes as long as a sweep. Errors:
/// `internal` if the rules do not end, with those that undo each other.
template <class Graph, class Apply>
void to_fixpoint(const std::vector<const Rule<Graph>*>& rules, Apply apply,
                 int64_t most_rounds = kMostRounds) {
  int64_t num_changes = 0;
  std::vector<int64_t> settled_at(rules.size(),
                                  -1);  // by rule: the changes before a sweep that found nothing
  std::vector<std::string> last_round;
  for (int64_t round = 0; round < most_rounds; ++round) {
    last_round.clear();
    for (size_t number = 0; number < rules.size(); ++number) {
      const int64_t before = num_changes;
      while (settled_at[number] != num_changes && num_changes - before < most_rounds) {
        if (apply(*rules[number])) {
          ++num_changes;
        } else {
          settled_at[number] = num_changes;
        }
      }
      if (num_changes != before) {
        last_round.push_back(rules[number]->name);
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

/// Puts the reasons of these rules behind all others, in the order of the rules, independent of
/// which ran last.
template <class Graph>
void sort_reasons(std::vector<Reason>& reasons, const std::vector<const Rule<Graph>*>& rules) {
  std::vector<std::vector<Reason>> by_rule(rules.size() + 1);  // the first: of others
  for (Reason& reason : reasons) {
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule<Graph>* each) {
      return each->name == reason.rule;
    });
    const bool is_found = rule != rules.end();
    by_rule[is_found ? static_cast<size_t>(rule - rules.begin()) + 1 : 0].push_back(
        std::move(reason));
  }
  reasons.clear();
  for (std::vector<Reason>& each : by_rule) {
    std::move(each.begin(), each.end(), std::back_inserter(reasons));
  }
}

}  // namespace tessera::optimizer::rewrite

#!/usr/bin/python3
"""Writes a new rule over placements on several sites and its cases: tools/new_placement_rule.py NAME."""
import new_file

RULE = """\
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_$name {

namespace {

/// before = after, as relations without their sites (TRA §5).
///
/// Condition: what it needs; without it: which tuples would not meet, or would count twice.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext&) {
  const tra::Op* op = ia::local_op(node);
  if (op == nullptr) {
    return NotApplied{};
  }
  return NotApplied{"the reason, with the labels it is about"};
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({.name = "$name",
                .summary = "one line, as the reference page prints it",
                .phase = Phase::explore,
                .begin_sweep = [] { return PlacementRewrite(&apply); },
                .law = "before = after (TRA §5), if what it needs"});
}

}  // namespace tessera::optimizer::rule_$name
"""

TEST = """\
# name: test/plans/rules/$name.test
# The law in a line. Fill in the texts, then `build/release/test/plans/plan_cases --rewrite` this file, and read it.

case what it is for
text
  ia sites=2
  %0 = input X at=(j) : (i:2x2,j:2x3) -> f32[i=4,j=6]   # X
  %1 = shuf(%0) at=(i)   # A
  output(%1) A
expect $name at A
values
----

# One for each condition: a plan that would compute something else, and the reason that is given.
case what the first condition keeps apart
text
  ia sites=2
  %0 = input X at=(j) : (i:2x2,j:2x3) -> f32[i=4,j=6]   # X
  %1 = bcast(%0)   # A
  output(%1) A
expect-not $name at A: the reason, with the labels it is about
values
----
"""

if __name__ == "__main__":
    new_file.main("rule over placements", "", {
        "src/optimizer/ia/rules/$name.cpp": RULE,
        "test/plans/rules/$name.test": TEST,
    })

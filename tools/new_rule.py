#!/usr/bin/python3
"""Writes a new optimizer rule and its cases: tools/new_rule.py NAME."""
import new_file

RULE = """\
#include "optimizer/einsum/rule.h"

namespace tessera::optimizer::rule_$name {

namespace {

// before = after, if condition.
// Without the condition: the smallest program for which the two differ.
// Source: where the law comes from.
Outcome apply(const einsum::Vertex& vertex, const RuleContext&) {
  const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op);
  if (einsum == nullptr) {
    return NotApplied{};
  }
  return NotApplied{"the reason, with the labels it is about"};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({.name = "$name",
                .summary = "one line, as the reference page prints it",
                .phase = Phase::normalize,
                .begin_sweep = [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_$name
"""

TEST = """\
# name: test/plans/rules/$name.test
# The law in a line. Fill in the programs, then `build/release/test/plans/plan_cases --rewrite` this file, and read it.

case what it is for
set only $name
data A f32[8,9]
program
  input A[i,j]
  out[i] = sum[j] A[i,j]
  output out
expect $name at out
stage optimized
----

# One for each condition: a program that would change its meaning, and the reason that is given.
case what the first condition keeps apart
set only $name
data A f32[8,9]
program
  input A[i,j]
  out[i] = max[j] A[i,j]
  output out
expect-not $name at out: the reason, with the labels it is about
"""

if __name__ == "__main__":
    new_file.main("optimizer rule", "", {
        "src/optimizer/rules/$name.cpp": RULE,
        "test/plans/rules/$name.test": TEST,
    })

#!/usr/bin/python3
"""Writes a new optimizer rule and its test: tools/new_rule.py NAME."""
import new_file

RULE = """\
#include "optimizer/einsum/rule.h"

namespace tessera::optimizer {

namespace {

// before = after, if condition.
// Without the condition: the smallest program for which the two differ.
// Source: where the law comes from.
Outcome rewrite(const einsum::Vertex& vertex, const Surroundings&) {
  const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op);
  if (einsum == nullptr) {
    return NotApplied{};
  }
  return NotApplied{"the reason, with the labels it is about"};
}

}  // namespace

void register_rule_$name(RuleRegistry& registry) {
  registry.add({.name = "$name",
                .summary = "one line, as the reference page prints it",
                .phase = Phase::normalize,
                .begin_sweep = [] { return VertexRewrite(&rewrite); }});
}

}  // namespace tessera::optimizer
"""

TEST = """\
#include <gtest/gtest.h>

#include "optimizer/einsum/driver.h"
#include "optimizer/einsum/rule.h"

// Each test states a program, and whether the rule fires on it: once where its condition holds, and once for every way
// in which the condition fails.

namespace tessera::optimizer {

namespace {

TEST(${Type}Rule, IsRegistered) {
  RuleRegistry rules;
  register_all_rules(rules);
  ASSERT_NE(rules.find("$name"), nullptr);
}

}  // namespace

}  // namespace tessera::optimizer
"""

if __name__ == "__main__":
    new_file.main("optimizer rule", "", {
        "src/optimizer/rules/$name.cpp": RULE,
        "test/unit/optimizer/${name}_test.cpp": TEST,
    })

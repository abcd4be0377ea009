#include "unit/optimizer/rewriting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/einsum/text.h"
#include "ir/einsum/verify.h"
#include "optimizer/einsum/sweep.h"
#include "unit/expr/registries.h"

namespace tessera::optimizer {

namespace {

Sweep swept(const std::string& rule, const std::string& text) {
  const einsum::Graph graph = graph_of(text);
  Sweep made = sweep(graph, *all_rules().find(rule));
  const std::vector<std::string> faults = einsum::verify(made.graph, expr::all_functions());
  EXPECT_TRUE(faults.empty()) << fmt::format("{}", fmt::join(faults, "\n"));
  EXPECT_EQ(einsum::parse_graph(
                {"printed", ir::to_text(einsum::describe(made.graph, expr::all_aggregates()))},
                expr::all_functions(), expr::all_aggregates()),
            made.graph);
  return made;
}

}  // namespace

const RuleRegistry& all_rules() {
  static const RuleRegistry registry = [] {
    RuleRegistry made;
    register_all_rules(made);
    return made;
  }();
  return registry;
}

einsum::Graph graph_of(const std::string& text) {
  return einsum::parse_graph({"test", "einsum\n" + text}, expr::all_functions(),
                             expr::all_aggregates());
}

std::string statements_of(const einsum::Graph& graph) {
  std::string lines;
  for (const ir::Description& node : einsum::describe(graph, expr::all_aggregates()).nodes) {
    if (node.op == "einsum") {
      lines += node.parameters.front().text + " : " + node.type.text + "\n";
    }
  }
  return lines;
}

std::string after(const std::string& rule, const std::string& text) {
  return statements_of(swept(rule, text).graph);
}

std::string reason(const std::string& rule, const std::string& text, const std::string& vertex) {
  const Sweep made = swept(rule, text);
  for (const std::string& changed : made.applied_at) {
    if (changed == vertex) {
      return "applied";
    }
  }
  for (const Reason& why : made.reasons) {
    if (why.vertex == vertex) {
      return why.text;
    }
  }
  return "";
}

}  // namespace tessera::optimizer

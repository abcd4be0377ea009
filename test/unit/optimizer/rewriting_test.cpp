#include "unit/optimizer/rewriting.h"

#include "ir/einsum/text.h"
#include "unit/expr/registries.h"

namespace tessera::optimizer {

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

}  // namespace tessera::optimizer

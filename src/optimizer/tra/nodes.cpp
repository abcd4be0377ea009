#include "optimizer/tra/nodes.h"

#include <utility>

namespace tessera::optimizer::rewrite {

void Nodes<tra::Graph>::set_inputs(Node& node, const std::vector<Id>& ids) {
  node.op = tra::with_inputs(std::move(node.op), ids);
}

std::vector<tra::NodeId> Nodes<tra::Graph>::outputs(const tra::Graph& graph) {
  std::vector<Id> outputs;
  for (const tra::Output& output : graph.outputs) {
    outputs.push_back(output.node);
  }
  return outputs;
}

tra::Graph Nodes<tra::Graph>::like(const tra::Graph& graph, const std::vector<Id>& outputs) {
  tra::Graph made;
  made.is_reproducible = graph.is_reproducible;
  for (size_t number = 0; number < outputs.size(); ++number) {
    made.outputs.push_back({graph.outputs[number].name, outputs[number]});
  }
  return made;
}

const std::string* Nodes<tra::Graph>::source(const Node& node) {
  const auto* input = std::get_if<tra::Input>(&node.op);
  return input == nullptr ? nullptr : &input->name;
}

}  // namespace tessera::optimizer::rewrite

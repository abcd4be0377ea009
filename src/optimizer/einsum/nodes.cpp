#include "optimizer/einsum/nodes.h"

namespace tessera::optimizer::rewrite {

std::vector<einsum::VertexId> Nodes<einsum::Graph>::outputs(const einsum::Graph& graph) {
  std::vector<Id> outputs;
  for (const einsum::Output& output : graph.outputs) {
    outputs.push_back(output.vertex);
  }
  return outputs;
}

einsum::Graph Nodes<einsum::Graph>::like(const einsum::Graph& graph,
                                         const std::vector<Id>& outputs) {
  einsum::Graph made;
  for (size_t number = 0; number < outputs.size(); ++number) {
    made.outputs.push_back({graph.outputs[number].name, outputs[number]});
  }
  return made;
}

}  // namespace tessera::optimizer::rewrite

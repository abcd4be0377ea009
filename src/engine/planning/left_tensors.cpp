#include "engine/planning/left_tensors.h"

namespace tessera::engine {

einsum::Graph with_left_tensors(einsum::Graph graph, const std::map<std::string, ArrayType>& left) {
  for (einsum::Vertex& vertex : graph.vertices) {
    if (left.contains(vertex.name)) {
      vertex.op = einsum::Input{};
      vertex.operands.clear();
    }
  }
  return graph;
}

}  // namespace tessera::engine

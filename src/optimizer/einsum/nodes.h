#pragma once

#include <string>
#include <vector>

#include "ir/einsum/graph.h"
#include "optimizer/rewrite/nodes.h"

namespace tessera::optimizer::rewrite {

template <>
struct Nodes<einsum::Graph> {
  using Node = einsum::Vertex;
  using Id = einsum::VertexId;

  static std::vector<Node>& nodes(einsum::Graph& graph) { return graph.vertices; }
  static const std::vector<Node>& nodes(const einsum::Graph& graph) { return graph.vertices; }
  static const std::vector<Id>& inputs(const Node& vertex) { return vertex.operands; }
  static void set_inputs(Node& vertex, std::vector<Id> ids) { vertex.operands = std::move(ids); }
  static const std::string& name(const Node& vertex) { return vertex.name; }
  static const Origin& origin(const Node& vertex) { return vertex.origin; }
  static std::vector<Id> outputs(const einsum::Graph& graph);
  static einsum::Graph like(const einsum::Graph& graph, const std::vector<Id>& outputs);
  /// Does nothing: vertices state their types.
  static Settled settle(const einsum::Graph&, const Node&) { return {}; }
  static bool has_moved(const Node&, const Node&) { return false; }
};

}  // namespace tessera::optimizer::rewrite

#pragma once

#include <string>
#include <vector>

#include "ir/tra/graph.h"
#include "optimizer/rewrite/nodes.h"

namespace tessera::optimizer::rewrite {

template <>
struct Nodes<tra::Graph> {
  using Node = tra::Node;
  using Id = tra::NodeId;

  static std::vector<Node>& nodes(tra::Graph& graph) { return graph.nodes; }
  static const std::vector<Node>& nodes(const tra::Graph& graph) { return graph.nodes; }
  static std::vector<Id> inputs(const Node& node) { return tra::inputs_of(node.op); }
  static void set_inputs(Node& node, const std::vector<Id>& ids);
  static const std::string& name(const Node& node) { return node.origin.statement; }
  static const Origin& origin(const Node& node) { return node.origin; }
  static std::vector<Id> outputs(const tra::Graph& graph);
  static tra::Graph like(const tra::Graph& graph, const std::vector<Id>& outputs);
  /// Does nothing: nodes state their types, and rules keep those of nodes that they replace.
  static Settled settle(const tra::Graph&, const Node&) { return {}; }
  static bool has_moved(const Node&, const Node&) { return false; }
  static const std::string* source(const Node& node);
};

}  // namespace tessera::optimizer::rewrite

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/ia/graph.h"
#include "optimizer/rewrite/nodes.h"

namespace tessera::optimizer::rewrite {

template <>
struct Nodes<ia::Graph> {
  using Node = ia::Node;
  using Id = ia::NodeId;

  static std::vector<Node>& nodes(ia::Graph& graph) { return graph.nodes; }
  static const std::vector<Node>& nodes(const ia::Graph& graph) { return graph.nodes; }
  static std::vector<Id> inputs(const Node& node) { return ia::inputs_of(node.op); }
  static void set_inputs(Node& node, const std::vector<Id>& ids);
  static const std::string& name(const Node& node) { return node.origin.statement; }
  static const Origin& origin(const Node& node) { return node.origin; }
  static std::vector<Id> outputs(const ia::Graph& graph);
  static ia::Graph like(const ia::Graph& graph, const std::vector<Id>& outputs);
  /// Fills in the placement of a node, which follows from its inputs. Moves and inputs state
  /// theirs.
  static Settled settle(const ia::Graph& graph, Node& node);
  static bool has_moved(const Node& one, const Node& other) {
    return one.placement != other.placement;
  }
  static const std::string* source(const Node& node);
  /// Hashes a node, with its inputs by number.
  static size_t hash(const Node& node);
  /// Hashes a node without its placement.
  static size_t hash_anywhere(const Node& node);
};

}  // namespace tessera::optimizer::rewrite

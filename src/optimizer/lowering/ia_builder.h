#pragma once

#include <optional>
#include <string>

#include "ir/ia/graph.h"
#include "ir/ia/placement_of.h"

namespace tessera::optimizer {

/// Makes a placed graph from relations, node by node: operators where what they read lies, and the
/// moves that bring it together where it does not.
class IaBuilder {
 public:
  using NodeId = ia::NodeId;
  using KeySpace = std::vector<tra::KeyDim>;

  /// A graph without nodes, on so many sites.
  IaBuilder(int64_t num_sites, bool is_reproducible, size_t num_nodes);

  const ia::Graph& graph() const { return to_; }
  /// For a caller that places an input otherwise before anything else reads it.
  ia::Node& at(NodeId node) { return to_.nodes[node.index()]; }
  const KeySpace& key_of(NodeId node) const { return to_.at(node).type.key; }
  ia::Graph take(std::vector<ia::Output> outputs) &&;

  NodeId add(ia::Op op, tra::RelationType type, ia::Placement placement, const Origin& origin);

  /// The node, or a broadcast of it where it is not everywhere.
  NodeId broadcast(NodeId node, const Origin& origin);
  NodeId shuffled(NodeId node, const ia::Placement& placement, const Origin& origin);

  /// Sites in turn for the tuples of a key; on one site all lies everywhere.
  ia::Placement in_turn(const KeySpace& key) const;

  /// The operator where its inputs lie, if it can be done there.
  std::optional<NodeId> local(tra::Op op, const tra::RelationType& type, const Origin& origin);

  /// The same for an operator that can be. Errors: `unsupported` where a table of sites would be
  /// too large.
  NodeId surely_local(tra::Op op, const tra::RelationType& type, const Origin& origin);

  /// An aggregate, a concat or a paste where the tuples lie that it merges, or after a shuffle to
  /// the sites that `wanted` gives the results.
  NodeId merged(const tra::Op& op, NodeId input, const tra::RelationType& type,
                const ia::Placement& wanted, const Origin& origin);

  /// The operators of one input for which every placing does the same: where that lies, or what has
  /// to lie together brought to where `wanted` says. Errors: as surely_local.
  NodeId translated(const tra::Filter& op, NodeId input, const tra::Node& node,
                    const ia::Placement& wanted);
  NodeId translated(const tra::Transform& op, NodeId input, const tra::Node& node,
                    const ia::Placement& wanted);
  NodeId translated(const tra::Tile& op, NodeId input, const tra::Node& node,
                    const ia::Placement& wanted);
  NodeId translated(const tra::Concat& op, NodeId input, const tra::Node& node,
                    const ia::Placement& wanted);
  NodeId translated(const tra::Rekey& op, NodeId input, const tra::Node& node,
                    const ia::Placement& wanted);
  NodeId translated(const tra::Repartition& op, NodeId input, const tra::Node& node,
                    const ia::Placement& wanted);
  NodeId translated(const tra::Scan& op, NodeId input, const tra::Node& node,
                    const ia::Placement& wanted);

 private:
  ia::Graph to_;
};

/// Of all tuples that there are.
double relation_bytes(const tra::RelationType& type);

}  // namespace tessera::optimizer

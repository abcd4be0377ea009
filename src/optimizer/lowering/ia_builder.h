#pragma once

#include <optional>
#include <string>

#include "ir/ia/graph.h"
#include "ir/ia/placement_of.h"

namespace tessera::optimizer {

/// A builder of a placed graph from relations, node by node: operators at their inputs, and the
/// moves that bring inputs together.
class IaBuilder {
 public:
  using NodeId = ia::NodeId;
  using KeySpace = std::vector<tra::KeyDim>;

  /// Starts a graph without nodes, on `num_sites` sites.
  IaBuilder(int64_t num_sites, bool is_reproducible, size_t num_nodes);

  const ia::Graph& graph() const { return to_; }
  /// Gives access to a node, for a caller that changes an input's placement before anything reads
  /// it.
  ia::Node& at(NodeId node) { return to_.nodes[node.index()]; }
  const KeySpace& key_of(NodeId node) const { return to_.at(node).type.key; }
  ia::Graph take(std::vector<ia::Output> outputs) &&;

  NodeId add(ia::Op op, tra::RelationType type, ia::Placement placement, const Origin& origin);

  /// Returns the node, or a broadcast of it if it is not everywhere.
  NodeId broadcast(NodeId node, const Origin& origin);
  NodeId shuffled(NodeId node, const ia::Placement& placement, const Origin& origin);

  /// Places the tuples of a key on sites in turn; on one site all lies everywhere.
  ia::Placement in_turn(const KeySpace& key) const;

  /// Adds an operator at its inputs, if it can be done there.
  std::optional<NodeId> local(tra::Op op, const tra::RelationType& type, const Origin& origin);

  /// Adds an operator that can surely be done at its inputs. Errors: `unsupported` if a table of
  /// sites would be too large.
  NodeId surely_local(tra::Op op, const tra::RelationType& type, const Origin& origin);

  /// Adds an aggregate, a concat or a paste at the tuples that it merges, or after a shuffle to the
  /// sites that `wanted` gives the results.
  NodeId merged(const tra::Op& op, NodeId input, const tra::RelationType& type,
                const ia::Placement& wanted, const Origin& origin);

  /// Adds an operator of one input that is the same for every placement: at its input, or after a
  /// shuffle of the tuples that must lie together to the sites of `wanted`. Errors: as
  /// surely_local.
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

/// Returns the bytes of all present tuples.
double relation_bytes(const tra::RelationType& type);

}  // namespace tessera::optimizer

#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "ir/ia/placement.h"
#include "ir/tra/graph.h"

namespace tessera::ia {

using tra::NodeId;
using tra::Output;

/// An operator of the relational algebra on the tuples that share a site (TRA §4: the local join,
/// local aggregation, local filter and the multi-map). Its inputs are nodes of the placed graph.
///
/// A local repartition either cuts tiles into smaller ones or pastes boxes into larger ones; a
/// repartition that needs both is a cut, a shuffle and a paste.
///
/// Its result lies wherever all of its inputs do. If that is on several sites, `at` may name one of
/// them for every tuple, and no other makes it.
struct LocalOp {
  tra::Op op;
  std::optional<Placement> at = std::nullopt;
  friend bool operator==(const LocalOp&, const LocalOp&) = default;
};

/// A broadcast: it sends every tuple to every site.
struct Bcast {
  NodeId input;
  friend bool operator==(const Bcast&, const Bcast&) = default;
};

/// A shuffle: it moves every tuple to its site in the placement `to`, or copies it to the sites.
struct Shuf {
  NodeId input;
  Placement to;
  friend bool operator==(const Shuf&, const Shuf&) = default;
};

/// The closed set of operators of the implementation algebra (TRA §4).
using Op = std::variant<LocalOp, Bcast, Shuf>;

struct Node {
  Op op;
  tra::RelationType type;
  Placement placement;  // from placement_of(); an input brings its own
  Origin origin;
  friend bool operator==(const Node&, const Node&) = default;
};

/// More sites than any machine has; arithmetic on them stays in 64 bits.
constexpr int64_t kMostSites = int64_t{1} << 20;

/// A program over placed relations: nodes in topological order.
struct Graph {
  int64_t num_sites = 1;
  std::vector<Node> nodes;
  std::vector<Output> outputs;
  bool is_reproducible = false;  // like tra::Graph

  const Node& at(NodeId id) const { return nodes[id.index()]; }
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// Returns the nodes an operator reads, in order.
std::vector<NodeId> inputs_of(const Op& op);

/// Returns the operator over other nodes, made at the same sites. REQUIRES as many as it reads.
LocalOp with_inputs(LocalOp local, const std::vector<NodeId>& inputs);

/// Returns how often every node is read, by nodes or as a result.
std::vector<int> num_readers(const Graph& graph);

/// Returns the relational operator of a node, or null if it only moves tuples.
const tra::Op* local_op(const Node& node);

}  // namespace tessera::ia

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "ir/named_outputs.h"
#include "ir/tra/graph.h"

namespace tessera::ia {

struct Graph;
using NodeId = Id<Graph>;

/// A copy of every tuple on every site (TRA §4: All(R)).
struct Everywhere {
  friend bool operator==(const Everywhere&, const Everywhere&) = default;
};
/// One copy of every tuple; tuples equal on the key dimensions `dims` share a site (Part_D(R)).
struct ByDims {
  std::vector<std::string> dims;
  friend bool operator==(const ByDims&, const ByDims&) = default;
};
using Placement = std::variant<Everywhere, ByDims>;

/// A relation that the user supplies.
struct Source {
  std::string name;
  friend bool operator==(const Source&, const Source&) = default;
};

/// Sends every tuple to every site.
struct Bcast {
  NodeId input;
  friend bool operator==(const Bcast&, const Bcast&) = default;
};

/// Moves tuples so that those equal on `dims` share a site.
struct Shuf {
  NodeId input;
  std::vector<std::string> dims;
  friend bool operator==(const Shuf&, const Shuf&) = default;
};

/// tra::Join of the tuples that share a site.
struct LocalJoin {
  std::vector<NodeId> inputs;
  std::vector<std::vector<std::string>> match;
  std::vector<tra::KeyDim> key;
  expr::TileProgram kernel;
  friend bool operator==(const LocalJoin&, const LocalJoin&) = default;
};

/// Merges tuples of one site, by a monoid or by pasting their boxes into the larger tiles that
/// `key` describes.
struct Paste {
  std::vector<tra::KeyDim> key;
  friend bool operator==(const Paste&, const Paste&) = default;
};
struct Merge {
  std::vector<std::string> keep;
  expr::Monoid monoid;
  tra::MergeOrder order = tra::MergeOrder::sequence;
  friend bool operator==(const Merge&, const Merge&) = default;
};
struct LocalAggregate {
  NodeId input;
  std::variant<Merge, Paste> how;
  friend bool operator==(const LocalAggregate&, const LocalAggregate&) = default;
};

/// tra::Filter, on the site where a tuple is.
struct LocalFilter {
  NodeId input;
  expr::Scalar predicate;
  friend bool operator==(const LocalFilter&, const LocalFilter&) = default;
};

/// Maps a tuple to one or more tuples: a new key, a kernel on its arrays, or a cut into the smaller
/// tiles that `key` describes (TRA §4: λᴸ(keyMapFunc, arrayMapFunc) of arity m >= 1).
struct Cut {
  std::vector<tra::KeyDim> key;
  friend bool operator==(const Cut&, const Cut&) = default;
};
struct MapKeys {
  std::vector<tra::KeyExpression> key;
  friend bool operator==(const MapKeys&, const MapKeys&) = default;
};
struct MapArrays {
  expr::TileProgram kernel;
  friend bool operator==(const MapArrays&, const MapArrays&) = default;
};
struct LocalMap {
  NodeId input;
  std::variant<MapKeys, MapArrays, Cut> how;
  friend bool operator==(const LocalMap&, const LocalMap&) = default;
};

/// The closed set of operators of the implementation algebra (TRA §4). To add one, see
/// ir/README.md.
using Op = std::variant<Source, Bcast, Shuf, LocalJoin, LocalAggregate, LocalFilter, LocalMap>;

struct Node {
  Op op;
  tra::RelationType type;
  Placement placement;
  Origin origin;
  friend bool operator==(const Node&, const Node&) = default;
};

struct Output {
  std::string name;
  NodeId node;
  friend bool operator==(const Output&, const Output&) = default;
};

/// A program over placed relations: nodes in topological order.
struct Graph {
  int64_t num_sites = 1;
  std::vector<Node> nodes;
  std::vector<Output> outputs;

  const Node& at(NodeId id) const { return nodes[id.index()]; }
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// The nodes an operator reads, in order.
std::vector<NodeId> inputs_of(const Op& op);

/// The results as ir/named_outputs.h sees them.
std::vector<ir::NamedOutput> named_outputs(const Graph& graph);

}  // namespace tessera::ia

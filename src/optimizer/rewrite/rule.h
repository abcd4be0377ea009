#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/registry.h"
#include "kernels/context.h"
#include "optimizer/rewrite/nodes.h"

namespace tessera::optimizer {

/// When a rule runs: as often as it changes something, in any order among its like; where
/// pipeline.cpp puts it; or where a search finds that the whole gets cheaper by it
/// (ia/placement_memo.h).
enum class Phase { normalize, placed, explore };

/// Nothing stands for the node. REQUIRES no output needs it.
struct Removed {};
/// The node stays; the reason is for who asks why, empty where the rule is not about such nodes at
/// all.
struct NotApplied {
  std::string reason;
};

namespace rewrite {

/// The goals of the rewrites of a graph.
struct RewriteWishes {
  /// The limit of an intermediate's size; without it any size will do.
  std::optional<int64_t> largest_intermediate_bytes;
  /// What the search for the order of each may take beyond the usual
  /// (contraction/annealed_order.h).
  double effort_seconds = 0;
  /// Inputs of more bytes are gathered from their files wherever that is possible, also where to
  /// read all of them takes less time: a budget may not hold them. None: the time decides.
  std::optional<int64_t> largest_gathered_bytes = std::nullopt;
};

/// What a rule may know besides the node it looks at: the new graph so far, and who reads what. One
/// that makes names takes it as not const.
///
/// Ids of nodes that are built already are ids of `graph()`; the inputs of the node at hand are
/// such ids.
template <class Graph>
class RuleContext {
 public:
  virtual ~RuleContext() = default;
  virtual const Graph& graph() const = 0;
  /// How many nodes that some output needs read a built node; an output of the graph counts as one
  /// more.
  virtual int64_t num_readers(IdOf<Graph> node) const = 0;
  /// Whether some output needs the node at hand.
  virtual bool is_needed() const = 0;
  /// A name that no node has: "T1.1", "T1.2", ... Every call gives another.
  virtual std::string fresh_name(const std::string& base) = 0;
  /// What the session knows, and the machine it plans for.
  virtual const kernels::Context& context() const = 0;
  virtual const RewriteWishes& wishes() const = 0;
};

/// The nodes that take the place of the one at hand, in topological order; the last one stands for
/// it and keeps its name. An input of one that is in the list too has the id that follows those of
/// graph(), counted through the list.
template <class Graph>
struct Rewritten {
  std::vector<NodeOf<Graph>> nodes;
  std::string note = {};  // what the user should know of it; mostly empty
};
/// A node that is built already stands for the one at hand.
template <class Graph>
struct Replaced {
  IdOf<Graph> by;
};
/// Several rewrites of the one node: a search tries each, a sweep takes the first.
template <class Graph>
struct OneOf {
  std::vector<Rewritten<Graph>> each;
};
template <class Graph>
using Outcome = std::variant<NotApplied, Rewritten<Graph>, Replaced<Graph>, Removed, OneOf<Graph>>;

template <class Graph>
using NodeRewrite = std::function<Outcome<Graph>(const NodeOf<Graph>&, RuleContext<Graph>&)>;

/// A rewrite of graphs of one stage, one file each: its law, and a reason for every condition that
/// a node does not meet. It looks at one node at a time, in topological order, so that a sweep over
/// a graph takes time in proportion to its size.
template <class Graph>
struct Rule {
  std::string name;
  std::string summary;  // one line for the reference page
  Phase phase = Phase::normalize;
  /// A fresh function for every sweep: it may remember the nodes it has seen.
  std::function<NodeRewrite<Graph>()> begin_sweep;
  std::string law = {};      // the equation, where it is from and its conditions, in a line or two
  bool is_repeated = false;  // what it makes may be rewritten again, where more is wished for
};

}  // namespace rewrite

}  // namespace tessera::optimizer

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

/// The time at which a rule runs. `normalize`: as often as it changes something, in any order among
/// its like. `placed`: at its place in pipeline.cpp. `explore`: when a search finds that the whole
/// gets cheaper by it (ia/placement_memo.h).
enum class Phase { normalize, placed, explore };

/// The outcome that removes the node. REQUIRES no output needs it.
struct Removed {};
/// The outcome that keeps the node. The reason is for users who ask; it is empty if the rule is not
/// about such nodes at all.
struct NotApplied {
  std::string reason;
};

namespace rewrite {

/// The goals of the rewrites of a graph.
struct RewriteWishes {
  /// The limit of an intermediate's size; without it any size will do.
  std::optional<int64_t> largest_intermediate_bytes;
  /// Seconds that the search for each order may take beyond the usual
  /// (contraction/annealed_order.h).
  double effort_seconds = 0;
  /// Inputs of more bytes are gathered from their files if that is possible, even if reading all of
  /// them takes less time: a budget may not hold them. None: the time decides.
  std::optional<int64_t> largest_gathered_bytes = std::nullopt;
};

/// The context of a rule besides the current node: the new graph so far, and the readers of nodes.
/// A rule that makes names takes it as non-const.
///
/// Ids of nodes that are built already are ids of `graph()`; the inputs of the current node are
/// such ids.
template <class Graph>
class RuleContext {
 public:
  virtual ~RuleContext() = default;
  virtual const Graph& graph() const = 0;
  /// Counts the readers of a built node among nodes that some output needs; an output of the graph
  /// counts as one more.
  virtual int64_t num_readers(IdOf<Graph> node) const = 0;
  /// True if some output needs the current node.
  virtual bool is_needed() const = 0;
  /// Returns a name that no node has: "T1.1", "T1.2", ... Every call returns another.
  virtual std::string fresh_name(const std::string& base) = 0;
  /// Returns the session's registries, and the machine it plans for.
  virtual const kernels::Context& context() const = 0;
  virtual const RewriteWishes& wishes() const = 0;
};

/// The nodes that replace the current one, in topological order. The last one stands for it and
/// keeps its name. An input that is in the list too has the id that follows those of graph(),
/// counted through the list.
template <class Graph>
struct Rewritten {
  std::vector<NodeOf<Graph>> nodes;
  std::string note = {};  // a note for the user; mostly empty
};
/// An existing node that stands for the current one.
template <class Graph>
struct Replaced {
  IdOf<Graph> by;
};
/// Several rewrites of one node: a search tries each, a sweep takes the first.
template <class Graph>
struct OneOf {
  std::vector<Rewritten<Graph>> each;
};
template <class Graph>
using Outcome = std::variant<NotApplied, Rewritten<Graph>, Replaced<Graph>, Removed, OneOf<Graph>>;

template <class Graph>
using NodeRewrite = std::function<Outcome<Graph>(const NodeOf<Graph>&, RuleContext<Graph>&)>;

/// A rewrite of graphs of one stage, one file each: its law, and a reason for every condition that
/// a node does not meet. It sees one node at a time, in topological order, so that a sweep over a
/// graph takes time in proportion to its size.
template <class Graph>
struct Rule {
  std::string name;
  std::string summary;  // one line for the reference page
  Phase phase = Phase::normalize;
  /// Starts a sweep with a fresh function, which may remember the nodes it has seen.
  std::function<NodeRewrite<Graph>()> begin_sweep;
  std::string law = {};      // the equation, its source and its conditions, in a line or two
  bool is_repeated = false;  // true if its results may be rewritten again
};

}  // namespace rewrite

}  // namespace tessera::optimizer

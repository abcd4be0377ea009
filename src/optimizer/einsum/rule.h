#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/einsum/graph.h"
#include "kernels/context.h"

namespace tessera::optimizer {

/// When a rule runs: as often as it changes something, in any order among its like; or where
/// pipeline.cpp puts it.
enum class Phase { normalize, placed };

/// What a rule may know besides the vertex it looks at: the new graph so far, and who reads what.
///
/// Ids of vertices that are built already are ids of `graph()`; the operands of the vertex at hand
/// are such ids.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual const einsum::Graph& graph() const = 0;
  /// How many vertices that some output needs read a built vertex; an output of the graph counts as
  /// one more.
  virtual int64_t num_readers(einsum::VertexId vertex) const = 0;
  /// Whether some output needs the vertex at hand.
  virtual bool is_needed() const = 0;
  /// A name that no vertex has: "T1.1", "T1.2", ... Every call gives another.
  virtual std::string fresh_name(const std::string& base) const = 0;
  /// What the session knows, and the machine it plans for.
  virtual const kernels::Context& context() const = 0;
  /// What an intermediate should not exceed; none: no matter.
  virtual std::optional<int64_t> largest_intermediate_bytes() const = 0;
};

/// The vertices that take the place of the one at hand, in topological order; the last one stands
/// for it and keeps its name. An operand of one that is in the list too has the id that follows
/// those of graph(), counted through the list.
struct Rewritten {
  std::vector<einsum::Vertex> vertices;
  std::string note = {};  // what the user should know of it; mostly empty
};
/// A vertex that is built already stands for the one at hand.
struct Replaced {
  einsum::VertexId by;
};
/// Nothing stands for it. REQUIRES no output needs it.
struct Removed {};
/// The vertex stays; the reason is for who asks why, empty where the rule is not about such
/// vertices at all.
struct NotApplied {
  std::string reason;
};
using Outcome = std::variant<NotApplied, Rewritten, Replaced, Removed>;

using VertexRewrite = std::function<Outcome(const einsum::Vertex&, const Surroundings&)>;

/// A rewrite of einsum graphs, one file each in optimizer/rules/. It looks at one vertex at a time,
/// in topological order, so that a sweep over a graph takes time in proportion to its size.
struct Rule {
  std::string name;
  std::string summary;  // one line for the reference page
  Phase phase = Phase::normalize;
  /// A fresh function for every sweep: it may remember the vertices it has seen.
  std::function<VertexRewrite()> begin_sweep;
};

/// The rules a session knows. Threads: filled once, then read by any number.
class RuleRegistry {
 public:
  void add(Rule rule);
  const Rule* find(const std::string& name) const;  // null if there is none
  const std::vector<Rule>& all() const { return rules_; }
  std::vector<std::string> names() const;  // in the order of registration, which is alphabetical

 private:
  std::vector<Rule> rules_;
};

/// Adds every rule of optimizer/rules/ (the list is generated from the folder).
void register_all_rules(RuleRegistry& registry);

}  // namespace tessera::optimizer

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "optimizer/rewrite/passed.h"
#include "optimizer/rewrite/rule.h"
#include "types/origin.h"

namespace tessera::optimizer::rewrite {

/// Calls visit(input) for the nodes that a node reads, each once.
template <class Graph, class Visit>
void for_each_distinct_input(const NodeOf<Graph>& node, Visit visit) {
  const auto& inputs = Nodes<Graph>::inputs(node);
  if (inputs.size() <= 1) {  // the most frequent case: nothing to sort
    std::for_each(inputs.begin(), inputs.end(), visit);
    return;
  }
  std::vector<IdOf<Graph>> distinct = inputs;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::for_each(distinct.begin(), distinct.end(), visit);
}

/// Returns, for every node, true if some output needs it.
template <class Graph>
std::vector<bool> needed_nodes(const Graph& graph) {
  const auto& nodes = Nodes<Graph>::nodes(graph);
  std::vector<bool> needed(nodes.size(), false);
  for (const IdOf<Graph> output : Nodes<Graph>::outputs(graph)) {
    needed[output.index()] = true;
  }
  for (size_t node = nodes.size(); node-- > 0;) {
    if (needed[node]) {
      for (const IdOf<Graph> input : Nodes<Graph>::inputs(nodes[node])) {
        needed[input.index()] = true;
      }
    }
  }
  return needed;
}

/// Returns, for every node, the number of needed nodes and outputs that read it.
template <class Graph>
std::vector<int64_t> num_readers_of(const Graph& graph, const std::vector<bool>& needed) {
  const auto& nodes = Nodes<Graph>::nodes(graph);
  std::vector<int64_t> readers(nodes.size(), 0);
  for (size_t node = 0; node < nodes.size(); ++node) {
    if (needed[node]) {
      for_each_distinct_input<Graph>(nodes[node],
                                     [&](IdOf<Graph> input) { ++readers[input.index()]; });
    }
  }
  for (const IdOf<Graph> output : Nodes<Graph>::outputs(graph)) {
    ++readers[output.index()];
  }
  return readers;
}

/// The sweep of a rule: builds the new graph node by node, and answers the rule's questions about
/// readers and names. Nodes move from the old graph to the new one: most sweeps change little, and
/// copying all nodes would take most of the optimizer's time.
template <class Graph>
class Sweeper final : public RuleContext<Graph> {
 public:
  using Node = NodeOf<Graph>;
  using Id = IdOf<Graph>;

  Sweeper(Graph old, const kernels::Context& context, const RewriteWishes& wishes)
      : old_(std::move(old)),
        context_(context),
        wishes_(wishes),
        needed_(needed_nodes(old_)),
        old_readers_(num_readers_of(old_, needed_)) {
    result_.graph = Nodes<Graph>::like(old_, {});
    nodes().reserve(old_nodes().size());
  }

  Passed<Graph> run(const Rule<Graph>& rule) {
    const NodeRewrite<Graph> rewrite = rule.begin_sweep();
    for (at_ = 0; at_ < old_nodes().size(); ++at_) {
      Node& node = old_nodes()[at_];  // moves on once, if it stays: most do
      at_node_ = &node;
      const bool reads_moved = take_new_inputs(node);
      try {
        at_has_moved_ = reads_moved && settle(node);
        Outcome<Graph> outcome = rewrite(node, *this);
        take(rule, node, std::move(outcome));
      } catch (Error& error) {
        error.add_context(fmt::format("in rule {} at vertex {}", rule.name, at_name()),
                          place_of(Nodes<Graph>::origin(node)));
        throw;
      }
    }
    std::vector<Id> outputs;
    for (const Id output : Nodes<Graph>::outputs(old_)) {
      outputs.push_back(now_[output.index()]);
    }
    Graph made = Nodes<Graph>::like(old_, outputs);
    Nodes<Graph>::nodes(made) = std::move(nodes());
    result_.graph = std::move(made);
    return std::move(result_);
  }

  const Graph& graph() const override { return result_.graph; }
  int64_t num_readers(Id node) const override { return readers_[node.index()]; }
  bool is_needed() const override { return needed_[at_]; }

  const kernels::Context& context() const override { return context_; }
  const RewriteWishes& wishes() const override { return wishes_; }

  std::string fresh_name(const std::string& base) override {
    if (names_.empty()) {
      note_names();
    }
    int64_t number = 1;
    while (!names_.insert(fmt::format("{}.{}", base, number)).second) {
      ++number;
    }
    return fmt::format("{}.{}", base, number);
  }

 private:
  auto& old_nodes() { return Nodes<Graph>::nodes(old_); }
  auto& nodes() { return Nodes<Graph>::nodes(result_.graph); }
  const std::string& at_name() const { return Nodes<Graph>::name(*at_node_); }

  /// Renumbers the inputs of a node. Returns true if one of them is placed otherwise than before.
  bool take_new_inputs(Node& node) const {
    bool has_moved = false;
    bool has_changed = false;
    for (const Id input : Nodes<Graph>::inputs(node)) {
      const Id now = now_[input.index()];
      has_moved = has_moved || (now.valid() && has_moved_[now.index()]);
      has_changed = has_changed || now != input;
    }
    if (has_changed) {
      std::vector<Id> inputs = Nodes<Graph>::inputs(node);
      for (Id& input : inputs) {
        input = now_[input.index()];
      }
      Nodes<Graph>::set_inputs(node, std::move(inputs));
    }
    return has_moved;
  }

  /// Returns true if the node is placed otherwise than before. Keeps the first problem only: later
  /// ones are about a graph that is already invalid.
  bool settle(Node& node) {
    if (!result_.problem.empty()) {
      return false;
    }
    const Settled settled = Nodes<Graph>::settle(result_.graph, node);
    if (!settled.problem.empty()) {
      result_.problem = fmt::format("{}: {}", Nodes<Graph>::name(node), settled.problem);
    }
    return settled.has_moved;
  }

  /// Collects the names of the old graph and the new one, wherever their nodes are.
  void note_names() {
    for (const std::vector<Node>* all : {&old_nodes(), &nodes()}) {
      for (const Node& node : *all) {
        names_.insert(Nodes<Graph>::name(node));
      }
    }
    names_.insert(result_.applied_at.begin(), result_.applied_at.end());
    names_.insert(at_name());
  }

  void take(const Rule<Graph>& rule, Node& node, Outcome<Graph> outcome) {
    if (auto* alternatives = std::get_if<OneOf<Graph>>(&outcome)) {
      TESSERA_CHECK(!alternatives->each.empty(), "rule {} has no alternative", rule.name);
      outcome = std::move(alternatives->each.front());
    }
    if (auto* refused = std::get_if<NotApplied>(&outcome)) {
      keep_reason(rule, node, std::move(refused->reason));
      append(std::move(node), old_readers_[at_], at_has_moved_);
      return;
    }
    result_.applied_at.push_back(Nodes<Graph>::name(node));
    if (const auto* replaced = std::get_if<Replaced<Graph>>(&outcome)) {
      readers_[replaced->by.index()] += old_readers_[at_];
      now_.push_back(replaced->by);
      note_move(node, replaced->by);
    } else if (std::holds_alternative<Removed>(outcome)) {
      TESSERA_CHECK(!is_needed(), "rule {} removes {}, which is needed", rule.name, at_name());
      now_.push_back(Id());
    } else {
      auto& rewritten = std::get<Rewritten<Graph>>(outcome);
      keep_reason(rule, node, std::move(rewritten.note));
      take_nodes(node, std::move(rewritten.nodes));
    }
  }

  void keep_reason(const Rule<Graph>& rule, const Node& node, std::string text) {
    if (!text.empty()) {
      result_.reasons.push_back({rule.name, Nodes<Graph>::name(node), std::move(text)});
    }
  }

  void take_nodes(const Node& replaced, std::vector<Node> made) {
    for_each_distinct_input<Graph>(replaced, [&](Id input) { --readers_[input.index()]; });
    for (size_t part = 0; part < made.size(); ++part) {
      settle(made[part]);
      append(std::move(made[part]), part + 1 == made.size() ? old_readers_[at_] : 0, false);
      for_each_distinct_input<Graph>(nodes().back(), [&](Id input) { ++readers_[input.index()]; });
      if (part + 1 < made.size()) {
        now_.pop_back();
      }
    }
    note_move(replaced, now_.back());
  }

  /// Marks `by` as moved, so that readers of a node that was placed otherwise are settled again.
  void note_move(const Node& replaced, Id by) {
    if (at_has_moved_ || Nodes<Graph>::has_moved(replaced, nodes()[by.index()])) {
      has_moved_[by.index()] = true;
    }
  }

  void append(Node&& node, int64_t readers, bool has_moved) {
    nodes().push_back(std::move(node));
    now_.push_back(Id(static_cast<int64_t>(nodes().size()) - 1));
    readers_.push_back(readers);
    has_moved_.push_back(has_moved);
  }

  Graph old_;  // nodes before `at_` that stay have moved out
  const kernels::Context& context_;
  RewriteWishes wishes_;
  std::vector<bool> needed_;               // by old node
  std::vector<int64_t> old_readers_;       // by old node
  std::vector<Id> now_;                    // by old node: the node that stands for it
  std::vector<int64_t> readers_;           // by new node
  std::vector<bool> has_moved_;            // by new node
  std::unordered_set<std::string> names_;  // once one is asked for
  size_t at_ = 0;
  const Node* at_node_ = nullptr;  // the current node
  bool at_has_moved_ = false;
  Passed<Graph> result_;
};

/// Applies a rule to every node, in topological order. A node sees its inputs after the rule.
///
/// Cost: in proportion to the size of the graph, besides the rule's own work.
/// Errors: those of the rule, with its name and the node as context.
template <class Graph>
Passed<Graph> sweep(Graph graph, const Rule<Graph>& rule, const kernels::Context& context,
                    const RewriteWishes& wishes = {}) {
  return Sweeper<Graph>(std::move(graph), context, wishes).run(rule);
}

}  // namespace tessera::optimizer::rewrite

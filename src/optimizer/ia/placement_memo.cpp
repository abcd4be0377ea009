#include "optimizer/ia/placement_memo.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "optimizer/ia/alternative_costs.h"
#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;
using PlacedNodes = rewrite::Nodes<ia::Graph>;

/// A rule's view of the memo. The other readers of a node depend on the chosen plan, which makes
/// every relation once; so here a node has none.
class MemoContext final : public PlacementRuleContext {
 public:
  MemoContext(const ia::Graph& graph, const kernels::Context& context)
      : graph_(graph), context_(context) {}

  const ia::Graph& graph() const override { return graph_; }
  int64_t num_readers(NodeId) const override { return 1; }
  bool is_needed() const override { return true; }
  std::string fresh_name(const std::string& base) override {
    throw_error(ErrorKind::internal, "a rule of placement names {}", base);
  }
  const kernels::Context& context() const override { return context_; }
  const rewrite::RewriteWishes& wishes() const override { return wishes_; }

 private:
  const ia::Graph& graph_;
  const kernels::Context& context_;
  rewrite::RewriteWishes wishes_;  // there are no contractions any more
};

}  // namespace

PlacementMemo::PlacementMemo(const ia::Graph& graph, std::vector<const PlacementRule*> rules,
                             const kernels::Context& context, Communication& communication,
                             MemoBounds bounds)
    : rules_(std::move(rules)), context_(context), communication_(communication), bounds_(bounds) {
  graph_.num_sites = graph.num_sites;
  graph_.is_reproducible = graph.is_reproducible;
  copy(graph);
  explore();
  for (MemoGroup& group : relations_) {
    for (Alternative& alternative : group.alternatives) {
      price_alternative(alternative, *this, communication_);
    }
  }
}

/// Every node but a move is a relation, and its first alternative. Equal nodes, which no rule may
/// have shared, become one.
void PlacementMemo::copy(const ia::Graph& graph) {
  std::vector<NodeId> computed;
  std::vector<NodeId> now;  // by node of the graph
  for (ia::Node node : graph.nodes) {
    std::vector<NodeId> inputs = ia::inputs_of(node.op);
    for (NodeId& input : inputs) {
      input = now[input.index()];
    }
    PlacedNodes::set_inputs(node, inputs);
    const bool is_move = moved_by(node).has_value();
    const size_t known = graph_.nodes.size();
    now.push_back(interned(std::move(node)));
    if (!is_move && now.back().index() == known) {
      computed.push_back(now.back());
    }
  }
  for (const ia::Output& output : graph.outputs) {
    graph_.outputs.push_back({output.name, now[output.node.index()]});
  }
  relations_.resize(computed.size());
  required_at_.resize(computed.size());
  readers_.resize(computed.size());
  for (size_t relation = 0; relation < computed.size(); ++relation) {
    if (const std::string* name = PlacedNodes::source(graph_.at(computed[relation]))) {
      inputs_.emplace(*name, relation);
      relations_[relation].is_input = true;
    }
    add_alternative(relation, computed[relation], {.is_own = true});
  }
}

std::optional<size_t> PlacementMemo::relation_of(NodeId node) const {
  return relation_of_[node.index()];
}

NodeId PlacementMemo::stands_for(NodeId node) const {
  const auto found = stands_for_.find(node);
  return found == stands_for_.end() ? node : found->second;
}

double PlacementMemo::moved_bytes(size_t relation, size_t from, size_t to) {
  const auto [known, is_new] = moved_.emplace(std::vector<size_t>{relation, from, to}, 0);
  if (is_new) {
    const tra::RelationType& type = graph_.at(relations_[relation].places[0]).type;
    known->second = communication_.moved_bytes(placements_.at(from), placements_.at(to), type,
                                               graph_.num_sites);
  }
  return known->second;
}

bool PlacementMemo::is_input(NodeId node) const {
  return PlacedNodes::source(graph_.at(node)) != nullptr;
}

// ---- what rules propose

void PlacementMemo::explore() {
  while (!tasks_.empty()) {
    if (num_steps_ == bounds_.most_steps) {
      bound_ = fmt::format("{} steps", bounds_.most_steps);
      return;
    }
    ++num_steps_;
    const Task task = tasks_.front();
    tasks_.pop_front();
    std::visit([&](const auto& each) { carry_out(each); }, task);
  }
}

void PlacementMemo::carry_out(const Question& question) {
  const ia::Node node = graph_.at(question.node);
  for (const PlacementRule* rule : rules_) {
    MemoContext around(graph_, context_);
    asking_ = rule->name;
    asked_about_ = question.node;
    num_seen_ = graph_.nodes.size();
    take(question, *rule, rule->begin_sweep()(node, around));
  }
  asking_.clear();
}

void PlacementMemo::take(const Question& question, const PlacementRule& rule,
                         PlacementOutcome outcome) {
  const Overload taker{[](const NotApplied&) {}, [](const Removed&) {},
                       [&](const PlacementReplaced& replaced) {
                         stands_for_.emplace(question.node, stands_for(replaced.by));
                       },
                       [&](PlacementRewritten& rewritten) {
                         take_nodes(question, rule, std::move(rewritten.nodes));
                       },
                       [&](OneOfPlacements& alternatives) {
                         for (PlacementRewritten& each : alternatives.each) {
                           take_nodes(question, rule, std::move(each.nodes));
                         }
                       }};
  std::visit(taker, outcome);
}

/// Takes the nodes that a rule made in place of a node. A move on top is left to the alternatives
/// that require it.
void PlacementMemo::take_nodes(const Question& question, const PlacementRule& rule,
                               std::vector<ia::Node> nodes) {
  std::vector<NodeId> made;
  for (ia::Node& node : nodes) {
    std::vector<NodeId> inputs = ia::inputs_of(node.op);
    for (NodeId& input : inputs) {
      input = input.index() < num_seen_ ? stands_for(input) : made[input.index() - num_seen_];
    }
    PlacedNodes::set_inputs(node, inputs);
    if (moved_by(node)) {
      PlacedNodes::set_inputs(node, {from_any_place(node)});
    }
    const std::optional<NodeId> id = settled(std::move(node));
    if (!id) {
      return;
    }
    made.push_back(stands_for(*id));
  }
  const NodeId last = made.back();
  const bool is_of_move = moved_by(graph_.at(question.node)).has_value();
  if (is_of_move && (moved_by(graph_.at(last)) || is_input(last))) {
    if (last != question.node) {
      stands_for_.emplace(question.node, last);
    }
  }
  const NodeId top = unmoved(graph_, last);
  add_alternative(question.relation, top, {.rule = rule.name, .from = question.alternative});
  for (NodeId move = last; move != top; move = *moved_by(graph_.at(move))) {
    require(question.relation, placement_of(move));
  }
}

/// Returns a source for a move: the first place of the relation that is not its target, because the
/// plan chooses the source. An input that is copied stays where it is read.
NodeId PlacementMemo::from_any_place(const ia::Node& move) const {
  const NodeId from = *moved_by(move);
  const std::optional<size_t> relation = relation_of_[from.index()];
  if (!relation || (is_input(from) && ia::is_by_copies(move.placement))) {
    return from;
  }
  const std::vector<NodeId>& places = relations_[*relation].places;
  const auto other = std::find_if(places.begin(), places.end(), [&](NodeId place) {
    return graph_.at(place).placement != move.placement;
  });
  return other == places.end() ? from : *other;
}

/// Returns the number of a node with its placement filled in; nothing if it cannot be done there.
std::optional<NodeId> PlacementMemo::settled(ia::Node node) {
  const rewrite::Settled settled = PlacedNodes::settle(graph_, node);
  return settled.problem.empty() ? std::optional(interned(std::move(node))) : std::nullopt;
}

NodeId PlacementMemo::interned(ia::Node node) {
  const size_t placement = placements_.of(node.placement);
  return interned(std::move(node), placement);
}

/// Returns the number of a node. REQUIRES the number of its placement.
NodeId PlacementMemo::interned(ia::Node node, size_t placement) {
  const size_t hash = 31 * PlacedNodes::hash_anywhere(node) + placement;
  const auto [begin, end] = known_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    const ia::Node& other = graph_.at(known->second);
    if (placement_of(known->second) == placement && other.op == node.op &&
        other.type == node.type) {
      return known->second;
    }
  }
  const NodeId id(static_cast<int64_t>(graph_.nodes.size()));
  known_.emplace(hash, id);
  placement_of_.push_back(placement);
  relation_of_.emplace_back();
  graph_.nodes.push_back(std::move(node));
  if (const std::optional<size_t> input = input_like(graph_.nodes.back())) {
    const bool is_own = asked_about_.valid() && relation_of_[asked_about_.index()] == *input;
    add_alternative(*input, id, {.rule = asking_, .is_for_reader = !is_own});
  }
  return id;
}

/// Returns the relation that reads the same tensor in the same pieces, at any placement.
std::optional<size_t> PlacementMemo::input_like(const ia::Node& node) const {
  const std::string* name = PlacedNodes::source(node);
  const auto [begin, end] =
      name == nullptr ? std::pair(inputs_.end(), inputs_.end()) : inputs_.equal_range(*name);
  const auto found = std::find_if(begin, end, [&](const auto& input) {
    const ia::Node& first = graph_.at(relations_[input.second].places[0]);
    return first.op == node.op && first.type == node.type;
  });
  return found == end ? std::nullopt : std::optional(found->second);
}

// ---- groups

/// Adds an alternative of a relation, and follows up its effects: on its inputs, and on its
/// readers.
void PlacementMemo::add_alternative(size_t relation, NodeId node, Alternative alternative) {
  MemoGroup& group = relations_[relation];
  if (relation_of_[node.index()]) {
    return;
  }
  if (group.alternatives.size() == bounds_.most_alternatives) {
    bound_ = fmt::format("{} ways of one relation", bounds_.most_alternatives);
    return;
  }
  relation_of_[node.index()] = relation;
  alternative.node = node;
  const size_t number = group.alternatives.size();
  group.alternatives.push_back(std::move(alternative));
  tasks_.push_back(Question{node, relation, number});
  note_readers(relation, number);
  add_place(relation, number);
  for (size_t required = 0; required < required_at_[relation].size(); ++required) {
    ask_about_move(relation, number, required_at_[relation][required]);
  }
}

void PlacementMemo::note_readers(size_t relation, size_t alternative) {
  const NodeId node = relations_[relation].alternatives[alternative].node;
  for (const NodeId input : ia::inputs_of(graph_.at(node).op)) {
    const NodeId source = unmoved(graph_, input);
    const std::optional<size_t> read = relation_of_[source.index()];
    if (!read) {
      continue;
    }
    std::vector<size_t>& readers = readers_[*read];
    if (std::find(readers.begin(), readers.end(), relation) == readers.end()) {
      readers.push_back(relation);
    }
    if (input != source) {
      require(*read, placement_of(input));
    }
    for (const NodeId place : relations_[*read].places) {
      tasks_.push_back(Retry{relation, alternative, place});
    }
  }
}

/// Notes where an alternative makes a relation. A new placement is tried with every reader.
void PlacementMemo::add_place(size_t relation, size_t alternative) {
  MemoGroup& group = relations_[relation];
  const NodeId node = group.alternatives[alternative].node;
  const auto known = std::find_if(group.places.begin(), group.places.end(), [&](NodeId place) {
    return placement_of(place) == placement_of(node);
  });
  group.alternatives[alternative].place = static_cast<size_t>(known - group.places.begin());
  if (known != group.places.end()) {
    return;
  }
  group.places.push_back(node);
  for (const size_t reader : readers_[relation]) {
    for (size_t of_reader = 0; of_reader < relations_[reader].alternatives.size(); ++of_reader) {
      tasks_.push_back(Retry{reader, of_reader, node});
    }
  }
}

/// Tries an alternative with another place of one input, at all its uses of that input, because the
/// input is made once. If the alternative moves all of them, its effect is unchanged, but rules may
/// find more. For operators of several inputs, which have many alternatives, only the program's own
/// is tried: the others differ in moves.
void PlacementMemo::carry_out(const Retry& retry) {
  const NodeId before = relations_[retry.relation].alternatives[retry.alternative].node;
  const bool is_own = relations_[retry.relation].alternatives[retry.alternative].is_own;
  std::vector<NodeId> inputs = ia::inputs_of(graph_.at(before).op);
  const bool may_move = is_own || inputs.size() == 1;
  const std::vector<bool> is_read = reads_elsewhere(inputs, retry.place);
  bool has_changed = false;
  for (size_t input = 0; input < inputs.size(); ++input) {
    has_changed =
        has_changed || (is_read[input] && (may_move || !moved_by(graph_.at(inputs[input]))));
  }
  if (!has_changed) {
    return;
  }
  for (size_t input = 0; input < inputs.size(); ++input) {
    inputs[input] = is_read[input] ? moved_from(inputs[input], retry.place) : inputs[input];
  }
  ia::Node made = graph_.at(before);
  PlacedNodes::set_inputs(made, inputs);
  if (const std::optional<NodeId> id = settled(std::move(made))) {
    add_alternative(retry.relation, *id, {.from = retry.alternative, .is_own = is_own});
  }
}

/// Returns, for each input, if it reads the relation of a place from another place.
std::vector<bool> PlacementMemo::reads_elsewhere(const std::vector<NodeId>& inputs,
                                                 NodeId place) const {
  std::vector<bool> reads;
  for (const NodeId input : inputs) {
    const NodeId source = unmoved(graph_, input);
    reads.push_back(source != place && relation_of_[source.index()] == relation_of_[place.index()]);
  }
  return reads;
}

/// Rebuilds a run of moves from another place; returns the place itself if nothing is moved.
NodeId PlacementMemo::moved_from(NodeId move, NodeId place) {
  const std::optional<NodeId> before = moved_by(graph_.at(move));
  if (!before) {
    return place;
  }
  const NodeId from = moved_from(*before, place);
  ia::Node moved = graph_.at(move);
  PlacedNodes::set_inputs(moved, {from});
  return interned(std::move(moved), placement_of(move));
}

void PlacementMemo::require(size_t relation, size_t placement) {
  std::vector<size_t>& required = required_at_[relation];
  if (std::find(required.begin(), required.end(), placement) != required.end()) {
    return;
  }
  required.push_back(placement);
  for (size_t alternative = 0; alternative < relations_[relation].alternatives.size();
       ++alternative) {
    ask_about_move(relation, alternative, placement);
  }
}

/// Asks about one of the alternatives that read the same relations: the others differ in moves,
/// which rules over moves of computed relations look through.
void PlacementMemo::ask_about_move(size_t relation, size_t alternative, size_t placement) {
  const ia::Node node = graph_.at(relations_[relation].alternatives[alternative].node);
  std::vector<size_t> reads = {relation, placement};
  for (const NodeId input : ia::inputs_of(node.op)) {
    const NodeId source = unmoved(graph_, input);
    const std::optional<size_t> read = relation_of_[source.index()];
    reads.push_back(read.value_or(relations_.size() + source.index()));
  }
  if (asked_.insert(std::move(reads)).second) {
    const NodeId move = interned(move_of(relations_[relation].alternatives[alternative].node,
                                         node.type, placements_.at(placement), node.origin),
                                 placement);
    tasks_.push_back(Question{move, relation, alternative});
  }
}

}  // namespace tessera::optimizer

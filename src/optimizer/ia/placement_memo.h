#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "optimizer/ia/communication.h"
#include "optimizer/ia/placement_numbers.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer {

/// An input that an alternative requires: a relation, made at a placement and moved hop after hop.
struct RequiredInput {
  size_t relation = 0;
  size_t place = 0;               // its site; meaningless for a computed relation that is moved
  std::vector<size_t> hops = {};  // placements by number (PlacementMemo::placement_of)
  friend bool operator==(const RequiredInput&, const RequiredInput&) = default;
  friend auto operator<=>(const RequiredInput&, const RequiredInput&) = default;
};

/// An expression of a memo group: an operator and the placements that it requires of its inputs.
struct Alternative {
  ia::NodeId node = {};        // of the memo's graph
  std::string rule = {};       // that proposed it; empty if made by trying another placement
  size_t from = 0;             // the alternative it was made from; its own number for the first
  bool is_for_reader = false;  // of an input: proposed for a node that reads it
  bool is_own = false;         // the program's own, with some placements of its inputs
  size_t place = 0;            // index into the group's places
  double bytes = 0;            // its own cost, without that of its inputs
  size_t num_nodes = 0;        // its own nodes, without those of its inputs
  std::vector<RequiredInput> required = {};
};

/// A group of the memo: one relation that a node of the program computes, at any placement.
struct MemoGroup {
  std::vector<ia::NodeId> places;         // a node for each placement that tuples may be made with
  std::vector<Alternative> alternatives;  // the first is the program's
  // read where it is needed, by several alternatives if several readers need it
  bool is_input = false;
};

/// The bounds of a memo.
struct MemoBounds {
  /// Nodes that rules are asked about, and placements that alternatives are tried with.
  int64_t most_steps = 100'000;
  size_t most_alternatives = 400;  // of one relation
};

/// A memo in the manner of Cascades: all plans that placement rules make of a program, with common
/// parts held once. A group holds, for one relation, the placements its tuples may have and the
/// alternatives that make each. A rule sees a node and the nodes below it, as deep as it looks; its
/// proposal is one more alternative of the same group. A new placement is tried with every reader
/// of the relation. So the memo grows with the program, while plans grow exponentially.
///
/// A move is no group: it belongs to the alternative that requires it, and starts where the plan
/// makes the relation. That place is chosen for the whole plan (ia/plan_choice.h), which makes
/// every relation once; so rules that ask for other readers of a node are told that there are none.
class PlacementMemo {
 public:
  /// Starts from a graph whose nodes are all needed by its results, inputs excepted. Everything
  /// outlives the memo.
  PlacementMemo(const ia::Graph& graph, std::vector<const PlacementRule*> rules,
                const kernels::Context& context, Communication& communication, MemoBounds bounds);

  /// All nodes. The results are those of the original graph.
  const ia::Graph& graph() const { return graph_; }
  const std::vector<MemoGroup>& relations() const { return relations_; }
  /// Returns the relation that a node of the memo makes; nothing for a move, and for a node inside
  /// one alternative.
  std::optional<size_t> relation_of(ia::NodeId node) const;
  /// Returns the placement of a number.
  const ia::Placement& placement(size_t number) const { return placements_.at(number); }
  size_t placement_of(ia::NodeId node) const { return placement_of_[node.index()]; }
  int64_t num_steps() const { return num_steps_; }
  /// True if a bound kept rules from proposing more.
  bool is_bounded() const { return !bound_.empty(); }
  const std::string& bound_text() const { return bound_; }

  /// Returns the node that replaces a move, if a rule proposed one.
  ia::NodeId stands_for(ia::NodeId node) const;

  /// Returns the bytes of moving all tuples of a relation.
  double moved_bytes(size_t relation, size_t from, size_t to);

 private:
  /// A node that rules are to be asked about: an alternative of a relation, or a move of one.
  struct Question {
    ia::NodeId node;
    size_t relation;
    size_t alternative;
  };
  /// An alternative that is to be tried with another placement of an input.
  struct Retry {
    size_t relation;
    size_t alternative;
    ia::NodeId place;
  };
  using Task = std::variant<Question, Retry>;

  void copy(const ia::Graph& graph);
  void explore();
  void carry_out(const Question& question);
  void carry_out(const Retry& retry);
  void take(const Question& question, const PlacementRule& rule, PlacementOutcome outcome);
  void take_nodes(const Question& question, const PlacementRule& rule, std::vector<ia::Node> nodes);
  ia::NodeId from_any_place(const ia::Node& move) const;
  std::optional<ia::NodeId> settled(ia::Node node);
  ia::NodeId interned(ia::Node node);
  ia::NodeId interned(ia::Node node, size_t placement);
  std::optional<size_t> input_like(const ia::Node& node) const;
  std::vector<bool> reads_elsewhere(const std::vector<ia::NodeId>& inputs, ia::NodeId place) const;
  ia::NodeId moved_from(ia::NodeId move, ia::NodeId place);
  void add_alternative(size_t relation, ia::NodeId node, Alternative alternative);
  void note_readers(size_t relation, size_t alternative);
  void add_place(size_t relation, size_t alternative);
  void require(size_t relation, size_t placement);
  void ask_about_move(size_t relation, size_t alternative, size_t placement);
  bool is_input(ia::NodeId node) const;

  ia::Graph graph_;
  std::vector<const PlacementRule*> rules_;
  const kernels::Context& context_;
  Communication& communication_;
  MemoBounds bounds_;
  std::vector<MemoGroup> relations_;
  // by relation: placements that an alternative requires
  std::vector<std::vector<size_t>> required_at_;
  std::vector<std::vector<size_t>> readers_;        // by relation: those that read it
  std::vector<std::optional<size_t>> relation_of_;  // by node
  std::vector<size_t> placement_of_;                // by node
  PlacementNumbers placements_;
  std::multimap<std::string, size_t> inputs_;          // relations, by name: one for each cut
  std::unordered_multimap<size_t, ia::NodeId> known_;  // nodes by their hashes
  std::map<ia::NodeId, ia::NodeId> stands_for_;
  std::map<std::vector<size_t>, double> moved_;
  std::set<std::vector<size_t>> asked_;
  std::deque<Task> tasks_;
  std::string asking_;      // the rule that is asked
  ia::NodeId asked_about_;  // and the node
  size_t num_seen_ = 0;     // nodes that it sees
  int64_t num_steps_ = 0;
  std::string bound_;
};

}  // namespace tessera::optimizer

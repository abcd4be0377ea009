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

/// What a way reads of a relation: tuples where they are made, or moved, hop after hop.
struct Wanted {
  size_t relation = 0;
  size_t place = 0;  // where they are made; no matter of a computed relation that is moved
  std::vector<size_t> hops = {};  // placements by number (PlacementMemo::placement_of)
  friend bool operator==(const Wanted&, const Wanted&) = default;
  friend auto operator<=>(const Wanted&, const Wanted&) = default;
};

/// One way to make a relation: an operator where the tuples lie that it reads.
struct Way {
  ia::NodeId node = {};        // of the memo's graph
  std::string rule = {};       // that proposed it; empty where one was tried with another placement
  size_t from = 0;             // the way it was made of; its own number for the first
  bool is_for_reader = false;  // of an input: proposed for a node that reads it
  bool is_own = false;         // the program's, with some placements of what it reads
  size_t place = 0;            // of the relation's places
  double bytes = 0;            // that it costs by itself, what it wants left out
  size_t num_nodes = 0;        // the same, of nodes
  std::vector<Wanted> wants = {};
};

/// A group of the memo: what a node of the program computes, wherever it lies.
struct RelationWays {
  std::vector<ia::NodeId> places;  // a node for each placement that tuples may be made with
  std::vector<Way> ways;           // the first is the program's
  bool is_input = false;           // read where it is wanted, by several ways if several want it
};

/// What a memo may hold.
struct MemoBounds {
  /// Nodes that rules are asked about, and placements that ways are tried with.
  int64_t most_steps = 100'000;
  size_t most_ways = 400;  // of one relation
};

/// All plans that rules of placement make of a program, with what they have in common held once
/// (the memo of Cascades): for every relation the placements its tuples may have, and the ways to
/// make each. A rule sees a node and the nodes that it is made from, as far as it looks; what it
/// proposes is a way more of the same relation. A placement that is new is tried with everything
/// that reads the relation. So the memo grows with the program, where plans grow exponentially.
///
/// A move is no relation: it belongs to the way that wants it, and starts where the plan makes the
/// relation. Where that is, is a choice for the whole plan (ia/plan_choice.h), which makes every
/// relation once; so rules that ask whether others read a node are told that none does.
class PlacementMemo {
 public:
  /// The graph has no nodes that its results do not need, but for inputs. Everything outlives this.
  PlacementMemo(const ia::Graph& graph, std::vector<const PlacementRule*> rules,
                const kernels::Context& context, Communication& communication, MemoBounds bounds);

  /// All nodes; its results are those of the graph that the memo is of.
  const ia::Graph& graph() const { return graph_; }
  const std::vector<RelationWays>& relations() const { return relations_; }
  /// The relation that a node of the memo makes; nothing for a move, and for what one way makes
  /// between.
  std::optional<size_t> relation_of(ia::NodeId node) const;
  /// Placements have numbers: that of a node, and what it stands for.
  const ia::Placement& placement(size_t number) const { return placements_.at(number); }
  size_t placement_of(ia::NodeId node) const { return placement_of_[node.index()]; }
  int64_t num_steps() const { return num_steps_; }
  /// Whether rules would have proposed more, and which bound kept them from it.
  bool is_bounded() const { return !bound_.empty(); }
  const std::string& bound_text() const { return bound_; }

  /// The node that stands for a move, where a rule says that another one does.
  ia::NodeId stands_for(ia::NodeId node) const;

  /// What it takes to move all tuples of a relation.
  double moved_bytes(size_t relation, size_t from, size_t to);

 private:
  /// Rules are to be asked about a node, which is a way of a relation or moves what one makes.
  struct Question {
    ia::NodeId node;
    size_t relation;
    size_t way;
  };
  /// A way of a relation is to be tried with another placement of what it reads.
  struct Retry {
    size_t relation;
    size_t way;
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
  void add_way(size_t relation, ia::NodeId node, Way way);
  void note_readers(size_t relation, size_t way);
  void add_place(size_t relation, size_t way);
  void want(size_t relation, size_t placement);
  void ask_about_move(size_t relation, size_t way, size_t placement);
  bool is_input(ia::NodeId node) const;

  ia::Graph graph_;
  std::vector<const PlacementRule*> rules_;
  const kernels::Context& context_;
  Communication& communication_;
  MemoBounds bounds_;
  std::vector<RelationWays> relations_;
  std::vector<std::vector<size_t>> wanted_at_;      // by relation: placements that some way wants
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

#include "optimizer/ia/chosen_graph.h"

#include <map>
#include <utility>

#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;
using PlacedNodes = rewrite::Nodes<ia::Graph>;

class Choosing {
 public:
  Choosing(const PlacementMemo& memo, const std::vector<size_t>& alternatives)
      : memo_(memo), alternatives_(alternatives), made_(memo.relations().size()) {
    to_.num_sites = memo.graph().num_sites;
    to_.is_reproducible = memo.graph().is_reproducible;
  }

  std::optional<ia::Graph> run() {
    note_inputs_read();
    for (size_t relation = 0; relation < made_.size(); ++relation) {
      const Alternative& alternative =
          memo_.relations()[relation].alternatives[alternatives_[relation]];
      const bool is_input = memo_.relations()[relation].is_input;
      const NodeId node = is_input ? first_read(relation) : alternative.node;
      reader_ = &memo_.graph().at(node);
      made_[relation] = is_input ? input_at(node) : copied(node);
      if (!made_[relation].valid()) {
        return std::nullopt;
      }
    }
    for (const ia::Output& output : memo_.graph().outputs) {
      const NodeId node = unmoved(memo_.graph(), output.node);
      to_.outputs.push_back({output.name, made_[*memo_.relation_of(node)]});
    }
    return std::move(to_);
  }

 private:
  /// Notes where inputs are read, by relation, in the order of the readers.
  void note_inputs_read() {
    for (size_t relation = 0; relation < made_.size(); ++relation) {
      const MemoGroup& group = memo_.relations()[relation];
      for (const RequiredInput& required : group.alternatives[alternatives_[relation]].required) {
        const MemoGroup& read = memo_.relations()[required.relation];
        if (read.is_input) {
          first_read_.emplace(required.relation, read.places[required.place]);
        }
      }
    }
  }

  NodeId first_read(size_t input) const {
    const auto found = first_read_.find(input);
    return found == first_read_.end() ? memo_.relations()[input].places[0] : found->second;
  }

  NodeId input_at(NodeId node) {
    const auto [known, is_new] = inputs_.emplace(node, NodeId());
    if (is_new) {
      known->second = add(memo_.graph().at(node));
    }
    return known->second;
  }

  /// Copies an operator with its inputs. Returns no number if it cannot be done there.
  NodeId copied(NodeId node) {
    ia::Node made = memo_.graph().at(node);
    std::vector<NodeId> inputs = ia::inputs_of(made.op);
    for (NodeId& input : inputs) {
      input = read(memo_.stands_for(input));
      if (!input.valid()) {
        return NodeId();
      }
    }
    PlacedNodes::set_inputs(made, inputs);
    if (moved_by(made)) {
      made.origin = reader_->origin;
    }
    return PlacedNodes::settle(to_, made).problem.empty() ? add(std::move(made)) : NodeId();
  }

  NodeId read(NodeId node) {
    const std::optional<size_t> relation = memo_.relation_of(node);
    if (!relation) {
      return copied(node);
    }
    return memo_.relations()[*relation].is_input ? input_at(node) : made_[*relation];
  }

  NodeId add(ia::Node node) {
    to_.nodes.push_back(std::move(node));
    return NodeId(static_cast<int64_t>(to_.nodes.size()) - 1);
  }

  const PlacementMemo& memo_;
  const std::vector<size_t>& alternatives_;
  std::vector<NodeId> made_;  // by relation
  std::map<size_t, NodeId> first_read_;
  std::map<NodeId, NodeId> inputs_;  // by node of the memo
  const ia::Node* reader_ = nullptr;
  ia::Graph to_;
};

}  // namespace

std::optional<ia::Graph> chosen_graph(const PlacementMemo& memo,
                                      const std::vector<size_t>& alternatives) {
  return Choosing(memo, alternatives).run();
}

}  // namespace tessera::optimizer

#include <algorithm>
#include <utility>
#include <vector>

#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;

/// The inputs of a join before they are moved, and the ways to bring together what meets.
class Meeting {
 public:
  Meeting(const ia::Node& node, const tra::Join& join, const PlacementRuleContext& around)
      : node_(node), join_(join), graph_(around.graph()) {
    for (const NodeId input : join.inputs) {
      sources_.push_back(unmoved(graph_, input));
    }
  }

  bool is_everywhere() const {
    return std::all_of(sources_.begin(), sources_.end(),
                       [&](NodeId source) { return lies_everywhere(source); });
  }

  /// One stays where it lies, the others are broadcast.
  PlacementRewritten around_input(size_t stays) const {
    std::vector<std::optional<ia::Placement>> wanted(sources_.size(), ia::Everywhere{});
    wanted[stays] = std::nullopt;
    return joined(wanted);
  }

  bool lies_everywhere(size_t input) const { return lies_everywhere(sources_[input]); }

  /// Those that have the dimensions are shuffled by them, the others are broadcast; nothing where
  /// no input or not every site would have some.
  std::optional<PlacementRewritten> by(const std::vector<std::string>& labels) const {
    const std::optional<ia::ByMap> map = spread(graph_, node_.type.key, labels);
    std::vector<std::optional<ia::Placement>> wanted;
    bool is_by_some = false;
    for (size_t input = 0; input < sources_.size() && map; ++input) {
      const std::optional<ia::ByMap> own = as_dims_of(*map, input);
      is_by_some = is_by_some || own;
      wanted.push_back(own ? ia::Placement(*own) : ia::Everywhere{});
    }
    return is_by_some ? std::optional(joined(wanted)) : std::nullopt;
  }

  /// The others are shuffled to where the tuples of one input lie that they meet.
  std::optional<PlacementRewritten> along(size_t stays) const {
    const ia::ByMap* map = ia::map_of(graph_.at(sources_[stays]).placement);
    if (map == nullptr) {
      return std::nullopt;
    }
    ia::ByMap by_label = *map;
    for (ia::SiteTerm& term : by_label.terms) {
      const auto& key = graph_.at(sources_[stays]).type.key;
      term.label = join_.match[stays][static_cast<size_t>(tra::find_key_dim(key, term.label))];
    }
    std::vector<std::optional<ia::Placement>> wanted(sources_.size());
    for (size_t input = 0; input < sources_.size(); ++input) {
      const std::optional<ia::ByMap> own = as_dims_of(by_label, input);
      if (input != stays) {
        wanted[input] = own ? ia::Placement(*own) : ia::Everywhere{};
      }
    }
    return joined(wanted);
  }

 private:
  bool lies_everywhere(NodeId source) const {
    return ia::is_everywhere(graph_.at(source).placement);
  }

  /// A map by labels of the join as one by an input's dimensions, if it has them all.
  std::optional<ia::ByMap> as_dims_of(ia::ByMap map, size_t input) const {
    const std::vector<tra::KeyDim>& key = graph_.at(sources_[input]).type.key;
    const std::vector<std::string>& match = join_.match[input];
    for (ia::SiteTerm& term : map.terms) {
      const auto dim = std::find(match.begin(), match.end(), term.label);
      if (dim == match.end()) {
        return std::nullopt;
      }
      term.label = tra::label_of(key[static_cast<size_t>(dim - match.begin())]);
    }
    return ia::simplified(map, key, graph_.num_sites);
  }

  /// The join with every input moved to where it is wanted, if it is not there.
  PlacementRewritten joined(const std::vector<std::optional<ia::Placement>>& wanted) const {
    PlacementRewritten made;
    std::vector<NodeId> inputs = sources_;
    for (size_t input = 0; input < sources_.size(); ++input) {
      if (!wanted[input] || lies_everywhere(input) ||
          *wanted[input] == graph_.at(sources_[input]).placement) {
        continue;
      }
      inputs[input] = NodeId(static_cast<int64_t>(graph_.nodes.size() + made.nodes.size()));
      made.nodes.push_back(moved_to(graph_, sources_[input], *wanted[input], node_.origin));
    }
    ia::Node join = node_;
    join.op = ia::LocalOp{tra::with_inputs(join_, inputs)};
    made.nodes.push_back(std::move(join));
    return made;
  }

  const ia::Node& node_;
  const tra::Join& join_;
  const ia::Graph& graph_;
  std::vector<NodeId> sources_;
};

/// R2-6 (TRA §5): the tuples of a join meet wherever one input lies and the others are broadcast
/// to, or where inputs are shuffled by labels that they share:
///   join(Bcast L, R) = join(L, Bcast R) = join(Shuf_kl L, Shuf_kr R).
///
/// Conditions:
/// - of every other input there is a copy wherever a tuple of the one that stays lies, so that each
///   pair meets once: two inputs that both stay, by unlike maps, would lose pairs;
/// - shuffled by labels, every site has some: by a label with one piece one site would compute all.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const tra::Op* op = ia::local_op(node);
  const auto* join = op == nullptr ? nullptr : std::get_if<tra::Join>(op);
  if (join == nullptr || join->inputs.size() < 2) {
    return NotApplied{};
  }
  const Meeting meeting(node, *join, around);
  if (meeting.is_everywhere()) {
    return NotApplied{"all that meets is everywhere"};
  }
  OneOfPlacements alternatives;
  const auto add = [&](std::optional<PlacementRewritten> rewritten) {
    if (rewritten) {
      alternatives.each.push_back(std::move(*rewritten));
    }
  };
  for (size_t input = 0; input < join->inputs.size(); ++input) {
    if (!meeting.lies_everywhere(input)) {
      add(meeting.around_input(input));
      add(meeting.along(input));
    }
  }
  for (const tra::KeyDim& dim : node.type.key) {
    if (tra::num_keys(dim) > 1) {
      add(meeting.by({tra::label_of(dim)}));
    }
  }
  return alternatives;
}

}  // namespace

void register_rule_join_elsewhere(PlacementRuleRegistry& registry) {
  registry.add({"join_elsewhere", "move other inputs of a join, or move them by what they share",
                Phase::explore, [] { return PlacementRewrite(&apply); }});
}

}  // namespace tessera::optimizer

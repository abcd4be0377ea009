#include "optimizer/ia/meeting.h"

#include <algorithm>
#include <utility>

#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

using ia::NodeId;

Meeting::Meeting(const ia::Node& node, const tra::Join& join, const ia::Graph& graph)
    : node_(node), join_(join), graph_(graph) {
  for (const NodeId input : join.inputs) {
    sources_.push_back(unmoved(graph_, input));
  }
}

bool Meeting::is_everywhere() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [&](NodeId source) { return lies_everywhere(source); });
}

bool Meeting::has(size_t input, const ia::ByMap& by_label) const {
  return as_dims_of(by_label, input).has_value();
}

PlacementRewritten Meeting::around_input(size_t stays) const {
  std::vector<std::optional<ia::Placement>> wanted(sources_.size(), ia::Everywhere{});
  wanted[stays] = std::nullopt;
  return joined(wanted);
}

std::optional<PlacementRewritten> Meeting::by(const ia::ByMap& by_label) const {
  std::vector<std::optional<ia::Placement>> wanted;
  bool is_by_some = false;
  for (size_t input = 0; input < sources_.size(); ++input) {
    const std::optional<ia::ByMap> own = as_dims_of(by_label, input);
    is_by_some = is_by_some || own;
    wanted.push_back(own ? ia::Placement(*own) : ia::Everywhere{});
  }
  return is_by_some ? std::optional(joined(wanted)) : std::nullopt;
}

std::optional<PlacementRewritten> Meeting::along(size_t stays) const {
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

bool Meeting::lies_everywhere(NodeId source) const {
  return ia::is_everywhere(graph_.at(source).placement);
}

/// Rewrites a map by labels of the join as a map by an input's dimensions, if it has them all.
std::optional<ia::ByMap> Meeting::as_dims_of(ia::ByMap map, size_t input) const {
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

/// Makes the join with every input moved to its required placement, if it is not there.
PlacementRewritten Meeting::joined(const std::vector<std::optional<ia::Placement>>& wanted) const {
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

}  // namespace tessera::optimizer

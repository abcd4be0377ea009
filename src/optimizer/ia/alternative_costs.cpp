#include "optimizer/ia/alternative_costs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;

class AlternativePricing {
 public:
  AlternativePricing(Alternative& alternative, const PlacementMemo& memo,
                     Communication& communication)
      : alternative_(alternative), memo_(memo), communication_(communication) {}

  void note(NodeId node) {
    alternative_.bytes += communication_.excess_bytes(memo_.graph(), memo_.graph().at(node));
    ++alternative_.num_nodes;
    for (const NodeId input : ia::inputs_of(memo_.graph().at(node).op)) {
      note_input(input);
    }
  }

 private:
  void note_input(NodeId input) {
    RequiredInput required;
    NodeId source = memo_.stands_for(input);
    while (const std::optional<NodeId> before = moved_by(memo_.graph().at(source))) {
      required.hops.insert(required.hops.begin(), memo_.placement_of(source));
      source = memo_.stands_for(*before);
    }
    if (const std::optional<size_t> relation = memo_.relation_of(source)) {
      required.relation = *relation;
      required.place = place_of(*relation, source);
      alternative_.required.push_back(std::move(required));
    } else {
      note_moves(source, required.hops);
      note(source);
    }
  }

  size_t place_of(size_t relation, NodeId node) const {
    const std::vector<NodeId>& places = memo_.relations()[relation].places;
    const auto place = std::find_if(places.begin(), places.end(), [&](NodeId other) {
      return memo_.placement_of(other) == memo_.placement_of(node);
    });
    return static_cast<size_t>(place - places.begin());
  }

  /// Notes the moves of nodes that only this alternative makes.
  void note_moves(NodeId made, const std::vector<size_t>& hops) {
    size_t from = memo_.placement_of(made);
    for (const size_t hop : hops) {
      alternative_.bytes +=
          communication_.moved_bytes(memo_.placement(from), memo_.placement(hop),
                                     memo_.graph().at(made).type, memo_.graph().num_sites);
      ++alternative_.num_nodes;
      from = hop;
    }
  }

  Alternative& alternative_;
  const PlacementMemo& memo_;
  Communication& communication_;
};

}  // namespace

void price_alternative(Alternative& alternative, const PlacementMemo& memo,
                       Communication& communication) {
  AlternativePricing(alternative, memo, communication).note(alternative.node);
  std::sort(alternative.required.begin(), alternative.required.end());
  alternative.required.erase(std::unique(alternative.required.begin(), alternative.required.end()),
                             alternative.required.end());
}

}  // namespace tessera::optimizer

#include "optimizer/ia/way_costs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;

class WayPricing {
 public:
  WayPricing(Way& way, const PlacementMemo& memo, Communication& communication)
      : way_(way), memo_(memo), communication_(communication) {}

  void note(NodeId node) {
    way_.bytes += communication_.excess_bytes(memo_.graph(), memo_.graph().at(node));
    ++way_.num_nodes;
    for (const NodeId input : ia::inputs_of(memo_.graph().at(node).op)) {
      note_input(input);
    }
  }

 private:
  void note_input(NodeId input) {
    Wanted wanted;
    NodeId source = memo_.stands_for(input);
    while (const std::optional<NodeId> before = moved_by(memo_.graph().at(source))) {
      wanted.hops.insert(wanted.hops.begin(), memo_.placement_of(source));
      source = memo_.stands_for(*before);
    }
    if (const std::optional<size_t> relation = memo_.relation_of(source)) {
      wanted.relation = *relation;
      wanted.place = place_of(*relation, source);
      way_.wants.push_back(std::move(wanted));
    } else {
      note_moves(source, wanted.hops);
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
      way_.bytes +=
          communication_.moved_bytes(memo_.placement(from), memo_.placement(hop),
                                     memo_.graph().at(made).type, memo_.graph().num_sites);
      ++way_.num_nodes;
      from = hop;
    }
  }

  Way& way_;
  const PlacementMemo& memo_;
  Communication& communication_;
};

}  // namespace

void price_way(Way& way, const PlacementMemo& memo, Communication& communication) {
  WayPricing(way, memo, communication).note(way.node);
  std::sort(way.wants.begin(), way.wants.end());
  way.wants.erase(std::unique(way.wants.begin(), way.wants.end()), way.wants.end());
}

}  // namespace tessera::optimizer

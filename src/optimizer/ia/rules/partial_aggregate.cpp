#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;

/// Pieces of a dimension that share a site by a map, run by run: so many at a time.
int64_t run_of(const ia::ByMap& map, const std::string& label) {
  int64_t run = 0;
  for (const ia::SiteTerm& term : map.terms) {
    run = term.label == label ? std::gcd(run, term.block) : run;
  }
  return run;
}

/// Every so many pieces one.
ModeGrid in_runs(const ModeGrid& fine, int64_t run) {
  ModeGrid larger{{}};
  for (int64_t piece = 0; piece < fine.num_pieces(); piece += run) {
    larger.cuts.push_back(fine.begin(piece));
  }
  larger.cuts.push_back(fine.extent());
  return larger;
}

/// The aggregate of what each site has of every group: it keeps what tells sites apart too.
tra::Aggregate partial_of(const tra::Aggregate& aggregate, NodeId input, const ia::ByMap& map,
                          const tra::RelationType& type) {
  tra::Aggregate partial{input, {}, aggregate.monoid};
  for (const tra::KeyDim& dim : type.key) {
    const std::string& label = tra::label_of(dim);
    const int64_t run = run_of(map, label);
    const bool is_kept =
        std::find(aggregate.keep.begin(), aggregate.keep.end(), label) != aggregate.keep.end();
    if (is_kept || run > 0) {
      partial.keep.push_back(label);
    }
    const ModeGrid* grid = tra::grid_of(dim);
    if (!is_kept && run > 1 && grid != nullptr && !tra::has_mode(type, label)) {
      partial.coarser.push_back({label, in_runs(*grid, run)});
    }
  }
  return partial;
}

/// R2-5 (TRA §5), aggregation in two phases: agg_g(Shuf(R)) = agg_g(Shuf(agg_{g, site}(R))): every
/// site merges what it has of a group, and moves one tuple of it instead of all. (agg_{g, site}
/// keeps the dimensions by which R lies, in pieces as large as lie on one site. The paper's
/// condition, g part of D, is on what is shuffled: here the shuffle goes to where the groups are
/// wanted.)
///
/// Conditions:
/// - one copy of each tuple, by a map: of two copies both sites would add theirs, and of a table it
///   is not seen which tuples lie together;
/// - tuples of a group that are next to each other share a site: else nothing is merged before it
/// moves;
/// - the order of merging is not stated: sums of one site at a time are another order.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const ia::Graph& graph = around.graph();
  const tra::Op* op = ia::local_op(node);
  const auto* aggregate = op == nullptr ? nullptr : std::get_if<tra::Aggregate>(op);
  if (aggregate == nullptr || !moved_by(graph.at(aggregate->input))) {
    return NotApplied{};
  }
  const NodeId before = unmoved(graph, aggregate->input);
  const ia::Node& apart = graph.at(before);
  const ia::ByMap* map = ia::map_of(apart.placement);
  if (map == nullptr) {
    return NotApplied{"what it merges lies by no map, or in copies"};
  }
  if (aggregate->order != tra::MergeOrder::sequence) {
    return NotApplied{"the order of merging is stated"};
  }
  if (!aggregate->coarser.empty()) {
    return NotApplied{"it is the part of one site already"};
  }
  const tra::Aggregate partial = partial_of(*aggregate, before, *map, apart.type);
  const tra::RelationType type = tra::infer_type(partial, tra::relations_of(graph));
  if (tra::num_keys(type.key) == tra::num_keys(apart.type.key)) {
    return NotApplied{"no neighbours in a group share a site"};
  }
  const OrRefusal<ia::Placement> wanted =
      ia::placement_of_pieces(node.placement, node.type.key, type.key, graph.num_sites);
  if (!wanted) {
    return NotApplied{wanted.reason()};
  }
  const NodeId merged(static_cast<int64_t>(graph.nodes.size()));
  const NodeId moved(merged.value + 1);
  PlacementRewritten made;
  made.nodes.push_back({ia::LocalOp{partial}, type, apart.placement, node.origin});
  made.nodes.push_back(move_of(merged, type, *wanted, node.origin));
  ia::Node last = node;
  last.op = ia::LocalOp{tra::with_inputs(*op, {moved})};
  made.nodes.push_back(std::move(last));
  return made;
}

}  // namespace

void register_rule_partial_aggregate(PlacementRuleRegistry& registry) {
  registry.add({"partial_aggregate", "merge what a site has of a group before it is moved",
                Phase::explore, [] { return PlacementRewrite(&apply); }});
}

}  // namespace tessera::optimizer

#include "optimizer/ia/partial_aggregate.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "ir/tra/infer.h"

namespace tessera::optimizer {

namespace {

/// Returns the number of consecutive pieces of a dimension that share a site by a map.
int64_t run_of(const ia::ByMap& map, const std::string& label) {
  int64_t run = 0;
  for (const ia::SiteTerm& term : map.terms) {
    run = term.label == label ? std::gcd(run, term.block) : run;
  }
  return run;
}

/// Coarsens a grid: one piece for every `run` pieces.
ModeGrid in_runs(const ModeGrid& fine, int64_t run) {
  ModeGrid larger{{}};
  for (int64_t piece = 0; piece < fine.num_pieces(); piece += run) {
    larger.cuts.push_back(fine.begin(piece));
  }
  larger.cuts.push_back(fine.extent());
  return larger;
}

/// Makes the aggregate of each site's part of every group: it also keeps the dimensions that tell
/// sites apart.
tra::Aggregate partial_of(const tra::Aggregate& aggregate, ia::NodeId input, const ia::ByMap& map,
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

}  // namespace

OrRefusal<tra::Aggregate> partial_aggregate(const ia::Graph& graph, const tra::Aggregate& aggregate,
                                            ia::NodeId input) {
  const ia::Node& apart = graph.at(input);
  const ia::ByMap* map = ia::map_of(apart.placement);
  if (map == nullptr) {
    return Refusal{"what it merges lies by no map, or in copies"};
  }
  if (aggregate.order != tra::MergeOrder::sequence) {
    return Refusal{"the order of merging is stated"};
  }
  if (!aggregate.coarser.empty()) {
    return Refusal{"it is the part of one site already"};
  }
  tra::Aggregate partial = partial_of(aggregate, input, *map, apart.type);
  const tra::RelationType type = tra::infer_type(partial, tra::relations_of(graph));
  if (partial.keep.size() == aggregate.keep.size()) {
    return Refusal{"the tuples of a group lie together"};
  }
  if (tra::num_keys(type.key) == tra::num_keys(apart.type.key)) {
    return Refusal{"no neighbours in a group share a site"};
  }
  return partial;
}

}  // namespace tessera::optimizer

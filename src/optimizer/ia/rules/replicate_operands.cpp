#include <algorithm>
#include <optional>
#include <utility>

#include "optimizer/ia/joined_sites.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_replicate_operands {

namespace {

using ia::NodeId;

/// The most keys with copies. These are listed tuple by tuple, and a search compares hundreds of
/// such lists.
constexpr int64_t kMostKeys = int64_t{1} << 12;

/// Returns grids of sites along two labels, with runs of keys along each, that use every site.
std::vector<ia::ByMap> grids_along(const ia::Graph& graph, const std::vector<tra::KeyDim>& key,
                                   const tra::KeyDim& one, const tra::KeyDim& other) {
  std::vector<ia::ByMap> grids;
  const auto run = [](const tra::KeyDim& dim, int64_t sites) {
    return (tra::num_keys(dim) + sites - 1) / sites;
  };
  for (int64_t sites = 2; sites < graph.num_sites; ++sites) {
    const int64_t others = graph.num_sites / sites;
    const bool is_grid = graph.num_sites % sites == 0 && tra::num_keys(one) >= sites &&
                         tra::num_keys(other) >= others;
    if (is_grid) {
      grids.push_back(ia::simplified({{{tra::label_of(one), others, run(one, sites)},
                                       {tra::label_of(other), 1, run(other, others)}}},
                                     key, graph.num_sites));
    }
  }
  return grids;
}

/// Makes the join at a map's sites, with its inputs moved or copied there; nothing if no input
/// needs copies, because other rules make that join.
std::optional<PlacementRewritten> joined_at(const ia::Graph& graph, const ia::Node& node,
                                            const tra::Join& join, const ia::ByMap& sites) {
  PlacementRewritten made;
  std::vector<NodeId> inputs;
  bool has_copies = false;
  const auto add = [&](ia::Node moved) {
    made.nodes.push_back(std::move(moved));
    return NodeId(static_cast<int64_t>(graph.nodes.size() + made.nodes.size()) - 1);
  };
  for (size_t input = 0; input < join.inputs.size(); ++input) {
    const NodeId source = unmoved(graph, join.inputs[input]);
    const ia::Node& lying = graph.at(source);
    const std::vector<tra::KeyDim>& key = lying.type.key;
    inputs.push_back(source);
    if (ia::is_everywhere(lying.placement)) {
      continue;
    }
    if (const std::optional<ia::ByMap> own = by_dims(sites, key, join.match[input])) {
      inputs.back() =
          add(move_of(source, lying.type, ia::simplified(*own, key, graph.num_sites), node.origin));
      continue;
    }
    const ia::SiteSets sets =
        sites_met(sites, node.type.key, key, join.match[input], graph.num_sites);
    const ia::Placement copies = ia::copied(sets, graph.num_sites);
    has_copies = has_copies || ia::is_by_copies(copies);
    NodeId from = source;
    const tra::Op* op = ia::local_op(lying);
    if (op != nullptr && std::holds_alternative<tra::Input>(*op) && ia::is_by_copies(copies)) {
      ia::Node read = lying;  // on one of the sites that need it
      read.placement = one_of(sets);
      from = add(std::move(read));
    }
    inputs.back() = add(move_of(from, lying.type, copies, node.origin));
  }
  ia::Node joined = node;
  joined.op = ia::LocalOp{tra::with_inputs(join, inputs), sites};
  made.nodes.push_back(std::move(joined));
  return has_copies ? std::optional(std::move(made)) : std::nullopt;
}

/// RMM, the domain rule of products (TRA §5; join_elsewhere has BMM and CMM): a join runs on a grid
/// of sites along two labels. If an input lacks one of them, its tuples are copied to the sites
/// that need them:
///   agg(Shuf(join(Bcast X, Y))) = agg(join(Shuf(duplicate X), Shuf(duplicate Y))).
///
/// Conditions:
/// - every pair meets on one site: with copies of both inputs it would meet on several and be
/// summed several times, so the join states which of them makes it;
/// - every site has tuples, and the keys are few enough to be listed.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const ia::Graph& graph = around.graph();
  const tra::Op* op = ia::local_op(node);
  const auto* join = op == nullptr ? nullptr : std::get_if<tra::Join>(op);
  if (join == nullptr || join->inputs.size() < 2) {
    return NotApplied{};
  }
  if (tra::num_keys(node.type.key) > kMostKeys) {
    return NotApplied{"its keys are too many to list copies"};
  }
  OneOfPlacements alternatives;
  const std::vector<tra::KeyDim>& key = node.type.key;
  for (size_t one = 0; one < key.size(); ++one) {
    for (size_t other = one + 1; other < key.size(); ++other) {
      for (const ia::ByMap& grid : grids_along(graph, key, key[one], key[other])) {
        if (std::optional<PlacementRewritten> made = joined_at(graph, node, *join, grid)) {
          alternatives.each.push_back(std::move(*made));
        }
      }
    }
  }
  if (alternatives.each.empty()) {
    return NotApplied{"no grid of sites along two of its labels needs copies"};
  }
  return alternatives;
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add(
      {"replicate_operands", "make a join on a grid of sites, and copy what it reads",
       Phase::explore, [] { return PlacementRewrite(&apply); },
       "RMM of TRA §5: join(Bcast X, Y) = join(Shuf(duplicate X), Shuf(duplicate Y)), made on "
       "a grid of sites, if one site makes each pair, and every site has some"});
}

}  // namespace tessera::optimizer::rule_replicate_operands

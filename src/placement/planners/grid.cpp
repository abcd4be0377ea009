#include <utility>

#include "base/byte_size.h"
#include "ir/tra/keys.h"
#include "ir/tra/presence.h"
#include "optimizer/assignment/exact_search.h"
#include "optimizer/assignment/path_program.h"
#include "optimizer/lowering/to_ia.h"
#include "placement/grid/choice.h"
#include "placement/planner.h"

namespace tessera::placement::planner_grid {

namespace {

/// The requests that follow from the choice.
class GridWishes {
 public:
  GridWishes(const tra::Graph& graph, int64_t num_sites)
      : graph_(graph), num_sites_(num_sites), wishes_(graph.nodes.size()) {}

  optimizer::Wishes of(const GridChoice& choice,
                       const optimizer::assignment::Assignment& chosen) && {
    std::vector<const SiteGrid*> grids(graph_.nodes.size(), nullptr);
    for (size_t number = 0; number < choice.variables.size(); ++number) {
      const GridVariable& variable = choice.variables[number];
      const auto alternative = static_cast<size_t>(chosen[number]);
      if (!variable.grids.empty()) {
        grids[variable.node.index()] = &variable.grids[alternative];
        wish_join(variable, variable.grids[alternative]);
      }
      if (variable.result != variable.node) {
        wish_partial(variable, variable.grids[alternative]);
      }
      wish_at(variable.result, variable.footprints[alternative]);
    }
    wish_others(grids);
    return std::move(wishes_);
  }

 private:
  optimizer::Wish& wish(tra::NodeId node) { return wishes_[node.index()]; }
  const std::vector<tra::KeyDim>& key_of(tra::NodeId node) const {
    return graph_.at(node).type.key;
  }

  void wish_at(tra::NodeId node, const Footprint& footprint) {
    if (!std::holds_alternative<tra::Join>(graph_.at(node).op)) {
      wish(node).at = one_of(fitted(footprint, key_of(node)), key_of(node));
    }
  }

  void wish_join(const GridVariable& variable, const SiteGrid& grid) {
    const auto& join = std::get<tra::Join>(graph_.at(variable.node).op);
    wish(variable.node).at = map_of(grid, join.key);
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      wish(variable.node)
          .operands.push_back(copies_on(footprint_of(grid, tra::matched_dims(join, input)),
                                        key_of(join.inputs[input]), num_sites_));
    }
  }

  /// Requests partial sums: the dropped dimensions that several sites share, in blocks of a site.
  /// If sums have a stated order, nothing is merged ahead.
  void wish_partial(const GridVariable& variable, const SiteGrid& grid) {
    const std::vector<tra::KeyDim>& made = key_of(variable.node);
    for (size_t dim = 0; dim < made.size() && !graph_.is_reproducible; ++dim) {
      const ModeGrid* pieces = tra::grid_of(made[dim]);
      const bool is_dropped =
          tra::find_key_dim(key_of(variable.result), tra::label_of(made[dim])) < 0;
      if (is_dropped && pieces != nullptr && grid[dim].parts > 1 &&
          !tra::has_mode(graph_.at(variable.node).type, tra::label_of(made[dim]))) {
        ModeGrid runs{{}};
        for (int64_t part = 0; part < grid[dim].parts; ++part) {
          runs.cuts.push_back(pieces->begin(part * grid[dim].block));
        }
        runs.cuts.push_back(pieces->extent());
        wish(variable.result).partial.push_back({tra::label_of(made[dim]), std::move(runs)});
      }
    }
  }

  /// Places the other operands of joins on a site that the join needs.
  void wish_others(const std::vector<const SiteGrid*>& grids) {
    const std::vector<std::vector<JoinOperand>> joins = joins_that_read(graph_);
    for (size_t number = 0; number < joins.size(); ++number) {
      const tra::NodeId node(static_cast<int64_t>(number));
      if (!joins[number].empty() && !wish(node).at) {
        const auto& [join, input] = joins[number].front();
        const std::vector<int> dims =
            tra::matched_dims(std::get<tra::Join>(graph_.at(join).op), input);
        wish_at(node, footprint_of(*grids[join.index()], dims));
      }
    }
  }

  const tra::Graph& graph_;
  int64_t num_sites_;
  optimizer::Wishes wishes_;
};

ia::Graph place(const tra::Graph& relations, const PlannerContext& around,
                optimizer::OptimizeReport& report) {
  const int64_t num_sites = around.context.num_sites;
  const GridChoice choice = grid_choice(relations, num_sites);
  if (num_sites == 1 || choice.variables.empty()) {
    return optimizer::to_ia(relations, num_sites);
  }
  namespace assignment = optimizer::assignment;
  const assignment::Solution solution =
      assignment::exact_search(choice.problem, {assignment::linearised(choice.problem)});
  report.notes.push_back(
      fmt::format("grid: about {} move between sites, and {} at least on any grids of sites",
                  byte_size_text(static_cast<int64_t>(solution.cost)),
                  byte_size_text(static_cast<int64_t>(solution.lower_bound.value_or(0)))));
  return optimizer::to_ia(relations, num_sites,
                          GridWishes(relations, num_sites).of(choice, solution.assignment));
}

}  // namespace

/// EinDecomp §8 with sites for calls: a grid of sites for every join, like that of the 3D algorithm
/// for a product; the cheapest assignment of all.
void register_planner(PlannerRegistry& registry) {
  registry.add({"grid", "A grid of sites along the labels of every statement: the cheapest of all",
                &place, false, true});
}

}  // namespace tessera::placement::planner_grid

#pragma once

#include <cstdint>
#include <vector>

#include "ir/tra/graph.h"
#include "optimizer/assignment/problem.h"
#include "placement/grid/site_grid.h"

namespace tessera::placement {

/// What is to be chosen of a node: the grid of sites on which a join is made, or where an input
/// lies that several joins read, on the sites that the first of them needs.
struct GridVariable {
  tra::NodeId node;
  tra::NodeId result;                 // the aggregate that alone reads a join, else the node
  std::vector<SiteGrid> grids;        // of a join, by alternative
  std::vector<Footprint> footprints;  // of the result, by alternative
};

/// Choosing a grid of sites for every join, so that the bytes that move between sites and what some
/// site handles beyond an even share are least: EinDecomp's assignment (EinDecomp §8) with sites
/// for calls. What stays on a site is free.
///
/// Costs are in bytes: of every operand, the copies that its tuples are brought to from where they
/// were made; of an aggregate, the partial results of all sites but one. An input that one join
/// reads lies on a site that needs it. A relation keeps its sites through what looks at one tuple
/// at a time, and through a repartition; of one that is made in another way nothing is known.
struct GridChoice {
  std::vector<GridVariable> variables;
  optimizer::assignment::Problem problem;  // of these, in their order
};

GridChoice grid_choice(const tra::Graph& graph, int64_t num_sites);

/// An operand of a join.
struct JoinOperand {
  tra::NodeId join;
  size_t number = 0;
};

/// By node, the joins that read its tuples, at once or through what passes them on one by one.
std::vector<std::vector<JoinOperand>> joins_that_read(const tra::Graph& graph);

}  // namespace tessera::placement

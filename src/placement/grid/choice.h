#pragma once

#include <cstdint>
#include <vector>

#include "ir/tra/graph.h"
#include "optimizer/assignment/problem.h"
#include "placement/grid/site_grid.h"

namespace tessera::placement {

/// A variable of the choice: the grid of sites that computes a join, or the placement of an input
/// that several joins read, on the sites that the first of them needs.
struct GridVariable {
  tra::NodeId node;
  tra::NodeId result;                 // the aggregate if that alone reads a join, else the node
  std::vector<SiteGrid> grids;        // of a join, by alternative
  std::vector<Footprint> footprints;  // of the result, by alternative
};

/// The choice of a grid of sites for every join that minimises the bytes moved between sites and
/// the excess of some site over an even share: EinDecomp's assignment (EinDecomp §8) with sites for
/// calls. Moves within a site are free.
///
/// Costs are in bytes: for every operand, the copies that bring its tuples from where they were
/// made; for an aggregate, the partial results of all sites but one. An input that one join reads
/// lies on a site that needs it. A relation keeps its sites through operators on one tuple at a
/// time, and through a repartition; relations made in another way have unknown sites.
struct GridChoice {
  std::vector<GridVariable> variables;
  optimizer::assignment::Problem problem;  // over the variables, in their order
};

GridChoice grid_choice(const tra::Graph& graph, int64_t num_sites);

/// An operand of a join.
struct JoinOperand {
  tra::NodeId join;
  size_t number = 0;
};

/// Returns, by node, the joins that read its tuples, directly or through nodes that pass them on.
std::vector<std::vector<JoinOperand>> joins_that_read(const tra::Graph& graph);

}  // namespace tessera::placement

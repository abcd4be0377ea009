#pragma once

#include <map>
#include <vector>

#include "kernels/context.h"
#include "placement/two_phase/statement.h"
#include "placement/two_phase/tuples.h"

namespace tessera::placement::two_phase {

/// The sites of a program.
struct Cluster {
  int32_t num_sites = 1;
  int64_t workers = 1;  // threads of each that compute
};

/// How statements are planned.
struct Method {
  Solver solve;
  /// Whether a site merges what it has of an aggregation group before it sends that, as far as that
  /// makes a plan cheaper (parts.h). The paper sends the result of every join group.
  bool merges_parts = false;
  /// What runs of parts are compared by before the best are solved, where merges_parts leaves a
  /// choice; `solve` itself where there is none.
  Solver sketch = {};
};

/// What an aggregate merges, where that is partial results: made by an aggregate that keeps these
/// dimensions too.
struct PartialResults {
  std::vector<tra::DenseDim> dims;
  TuplesByKey tuples;
};

/// Of all statements, one after the other.
struct Totals {
  size_t num_joins = 0;
  size_t num_groups = 0;
  Cost cost;
};

/// What a pilot run finds out of a program: which tuple every key of every node is, and where these
/// are made and needed.
struct Piloted {
  Tuples tuples;
  std::vector<TuplesByKey> by_node;
  std::map<ia::NodeId, PartialResults> partial;  // by aggregate
  /// By aggregate: of what workers of a site add up a part each, the runs that these parts are of.
  std::map<ia::NodeId, std::vector<tra::DenseDim>> of_workers;
  Totals totals;
};

/// Runs a program on its keys (Two-phase §4): instead of arrays, every tuple is the numbers of
/// those that it is made from. Statement after statement is then planned by the method: a join with
/// the aggregate that alone reads it, and every other operator that computes by itself, what it
/// makes being an aggregation group of one join group. What one made or was sent is where the next
/// finds it. Inputs may start on any site, as every site can read any tile of a file, but have one
/// place: that where they are needed first. A filter, a rekey and a cut make views, which stay
/// where what they show is.
///
/// What nothing needs of a relation is made where its first operand is, and costs nothing. REQUIRES
/// a graph on one site, which moves nothing. Errors: `user` where the keys of a relation are more
/// than tra::kMostTuples.
Piloted pilot(const ia::Graph& graph, const Cluster& cluster, const kernels::Context& context,
              const Method& method);

}  // namespace tessera::placement::two_phase

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

/// A method of planning statements.
struct Method {
  Solver solve;
  /// True if a site merges its part of an aggregation group before sending it, as far as that makes
  /// a plan cheaper (parts.h). In the paper every join group's result is sent.
  bool merges_parts = false;
  /// Compares runs of parts before the best are solved, if merges_parts leaves a choice; if empty,
  /// `solve` does.
  Solver sketch = {};
};

/// The partial results that an aggregate merges: those of an aggregate that keeps these dimensions
/// too.
struct PartialResults {
  std::vector<tra::DenseDim> dims;
  TuplesByKey tuples;
};

/// The totals of all statements, one after the other.
struct Totals {
  size_t num_joins = 0;
  size_t num_groups = 0;
  Cost cost;
};

/// The findings of a pilot run: the tuple of every key of every node, and the sites where these are
/// made and needed.
struct Piloted {
  Tuples tuples;
  std::vector<TuplesByKey> by_node;
  std::map<ia::NodeId, PartialResults> partial;  // by aggregate
  /// By aggregate: the runs that the workers of a site add up, one part each.
  std::map<ia::NodeId, std::vector<tra::DenseDim>> of_workers;
  Totals totals;
};

/// Runs a program on its keys (Two-phase §4): instead of an array, every tuple is the numbers of
/// its input tuples. The method then plans statement after statement: a join with the aggregate
/// that alone reads it, and every other computing operator by itself, with aggregation groups of
/// one join group. The next statement finds tuples where the last one made or sent them. Inputs may
/// start on any site, because every site can read any tile of a file, but have one place: the site
/// that needs them first. A filter, a rekey and a cut make views, which stay with their originals.
/// where what they show is.
/// Unneeded tuples are made at their first operand, and cost nothing. REQUIRES a graph on one site,
/// which moves nothing. Errors: `user` if a relation has more keys than tra::kMostTuples.
Piloted pilot(const ia::Graph& graph, const Cluster& cluster, const kernels::Context& context,
              const Method& method);

}  // namespace tessera::placement::two_phase

#pragma once

#include <cstdint>
#include <vector>

#include "ir/tra/graph.h"
#include "placement/two_phase/problem.h"
#include "placement/two_phase/statement.h"

namespace tessera::placement::two_phase {

/// A join whose tuples are all present and needed, in runs that can be merged first (joins.h), and
/// the aggregate over it. Borrows its keys.
struct MergedJoin {
  const std::vector<tra::KeyDim>& key;
  const std::vector<tra::KeyDim>& group_key;  // of the aggregate
  size_t num_operands = 0;                    // of a join group
  std::vector<Operand> operands;              // of all join groups, in the order of their keys
  StepCosts costs;
  int64_t workers = 1;  // of each site, which share the work
};

/// The number of runs that the pieces of every dimension of a join's key are divided into; for a
/// kept dimension, its number of pieces.
using Runs = std::vector<int64_t>;

/// Returns the candidate runs: for every deal of blocks of keys to the sites, one run for each
/// block along a summed label. None if a summed dimension does not count a mode's pieces.
std::vector<Runs> runs_for(const MergedJoin& join, int32_t num_sites);

/// Parts of aggregation groups. The join groups of a run are computed on one site, which merges
/// them before it sends the result (R2-5 of TRA §5), so the group's site need not get them one by
/// one. To the planner they are one join group: fewer bytes are moved, and fewer groups are
/// planned.
class Parts {
 public:
  Parts(const MergedJoin& join, Runs runs);

  const Runs& runs() const { return runs_; }
  /// Returns the parts of aggregation groups, in the order of the groups.
  int32_t num_of_group() const { return num_of_group_; }
  /// The part of every join group, in the order of their keys.
  const std::vector<int32_t>& part_of_join() const { return part_of_join_; }

  /// Returns the runs that each have a worker to themselves. One worker adds up a run, one result
  /// after the other, so a site with fewer parts than workers divides each into several. The same
  /// runs if there are enough parts, or no more pieces.
  Runs runs_of_workers(int32_t num_sites) const;
  /// Returns the cost of one of these runs, and of its result, for one worker.
  Cost cost_of_one_worker(const Runs& of_workers) const;

  /// Makes the statement to plan: the first part makes `first_part`, the next the number after it,
  /// and aggregation groups make the tuples `groups`. A group of one part is that part.
  Statement statement(Tuples& tuples, int32_t num_sites, int32_t first_part,
                      const std::vector<int32_t>& groups) const;

  /// Returns the dimensions of a partial result besides the aggregate's: the runs, like the
  /// aggregate keeps them.
  std::vector<tra::DenseDim> dims() const { return dims_of(runs_); }
  std::vector<tra::DenseDim> dims_of(const Runs& runs) const;

 private:
  int64_t num_keys(size_t dim) const { return tra::num_keys(join_.key[dim]); }
  std::vector<tra::KeyDim> key_of_parts() const;
  std::vector<int64_t> run_numbers() const;

  const MergedJoin& join_;
  Runs runs_;
  int32_t num_of_group_ = 1;
  std::vector<int32_t> part_of_join_;
};

/// Parts, and the sites that compute them.
struct PlannedParts {
  Parts parts;
  Plan plan;
};

/// The solvers of parts.
struct PartsSolvers {
  Solver sketch;  // to compare runs
  Solver solve;
};

/// Returns the runs whose parts make the cheapest plan, by its sketch, of aggregation groups that
/// make these tuples; these are solved. The paper's single join groups are one candidate, if they
/// are not too many.
PlannedParts cheapest_parts(const MergedJoin& join, Tuples& tuples, int32_t num_sites,
                            const PartsSolvers& solvers, const std::vector<int32_t>& groups);

}  // namespace tessera::placement::two_phase

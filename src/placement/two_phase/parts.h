#pragma once

#include <cstdint>
#include <vector>

#include "ir/tra/graph.h"
#include "placement/two_phase/problem.h"
#include "placement/two_phase/statement.h"

namespace tessera::placement::two_phase {

/// A join all of whose tuples are there and needed, in runs that can be merged first (joins.h), and
/// the aggregate over it. Borrows its keys.
struct MergedJoin {
  const std::vector<tra::KeyDim>& key;
  const std::vector<tra::KeyDim>& group_key;  // of the aggregate
  size_t num_operands = 0;                    // of a join group
  std::vector<Operand> operands;              // of all of them, in the order of their keys
  StepCosts costs;
  int64_t workers = 1;  // of each site, which share what costs are of
};

/// How many runs the pieces of every dimension of a join's key are taken in: all of a kept
/// dimension by themselves.
using Runs = std::vector<int64_t>;

/// The runs that are worth a look: for every way to deal blocks of keys out to the sites, as many
/// as there are blocks along what is summed over. None where something that is summed over is no
/// piece of a mode.
std::vector<Runs> runs_for(const MergedJoin& join, int32_t num_sites);

/// Join groups of which an aggregation group's site need not get the results one by one: those of a
/// run are made on one site, which merges them before it sends what they give (R2-5 of TRA §5). To
/// the planner they are one join group, so that fewer bytes are moved, and fewer groups are
/// planned.
class Parts {
 public:
  Parts(const MergedJoin& join, Runs runs);

  const Runs& runs() const { return runs_; }
  /// Parts of an aggregation group, one after the other in the order of the groups.
  int32_t num_of_group() const { return num_of_group_; }
  /// The part of every join group, in the order of their keys.
  const std::vector<int32_t>& part_of_join() const { return part_of_join_; }

  /// The runs that each have a worker to themselves: one worker adds up a run, one result after the
  /// other, so a site with fewer parts than workers makes each of several. The same runs where
  /// there are parts enough, or no more pieces.
  Runs runs_of_workers(int32_t num_sites) const;
  /// What a run of these, and what is made of them, takes one worker.
  Cost cost_of_one_worker(const Runs& of_workers) const;

  /// What is planned: that the first part makes `first_part`, the next the number behind it, and
  /// aggregation groups the tuples `groups`. A group of one part is made as that.
  Statement statement(Tuples& tuples, int32_t num_sites, int32_t first_part,
                      const std::vector<int32_t>& groups) const;

  /// The dimensions of a partial result that are not of the aggregate's: runs, as it keeps them.
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

/// Parts, and where they are made.
struct PlannedParts {
  Parts parts;
  Plan plan;
};

/// How parts are planned.
struct PartsSolvers {
  Solver sketch;  // by which runs are compared
  Solver solve;
};

/// The runs whose parts make the cheapest plan of aggregation groups that make these tuples, as
/// sketched; these are solved. Join groups one by one, as the paper has them, are one choice where
/// they are not very many.
PlannedParts cheapest_parts(const MergedJoin& join, Tuples& tuples, int32_t num_sites,
                            const PartsSolvers& solvers, const std::vector<int32_t>& groups);

}  // namespace tessera::placement::two_phase

#include "placement/two_phase/parts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "ir/tra/keys.h"
#include "placement/two_phase/blocks.h"

namespace tessera::placement::two_phase {

namespace {

bool is_kept(const MergedJoin& join, size_t dim) {
  return tra::find_key_dim(join.group_key, tra::label_of(join.key[dim])) >= 0;
}

/// Returns the first piece of a run: runs have 1/`num_runs` of the pieces each, rounded.
int64_t begin_of(int64_t run, int64_t num_runs, int64_t num_keys) {
  return (run * num_keys + num_runs - 1) / num_runs;
}
int64_t run_of(int64_t piece, int64_t num_runs, int64_t num_keys) {
  return piece * num_runs / num_keys;
}

/// Returns the cost for one worker of work that all of them share `times` times.
int64_t cost_of_one(int64_t cost, int64_t times, int64_t workers) {
  constexpr double kMost = 1e18;
  const double exact =
      static_cast<double>(cost) * static_cast<double>(times) * static_cast<double>(workers);
  return std::llround(std::min(exact, kMost));
}

/// The most join groups that are also planned one by one if runs of them can be.
constexpr size_t kMostSingly = size_t{1} << 17;

/// Makes every join group a run of its own, like in the paper.
Runs all_runs(const MergedJoin& join) {
  Runs runs;
  for (const tra::KeyDim& dim : join.key) {
    runs.push_back(tra::num_keys(dim));
  }
  return runs;
}

/// Parts, the sites that compute them, and the cost of that with the workers that share it.
struct SolvedParts {
  PlannedParts planned;
  Cost cost;
};

SolvedParts solved_parts(Parts parts, Tuples& tuples, int32_t num_sites, const Solver& solve,
                         const std::vector<int32_t>& groups) {
  // Results of parts have no numbers yet: numbers from 0 on serve as well.
  Statement statement = parts.statement(tuples, num_sites, 0, groups);
  Plan plan = statement.solved(solve);
  Cost cost = cost_of(statement.problem(), plan);
  const Cost of_one = parts.cost_of_one_worker(parts.runs_of_workers(num_sites));
  cost.join = std::max(cost.join, of_one.join);
  cost.merge = std::max(cost.merge, of_one.merge);
  return {{std::move(parts), std::move(plan)}, cost};
}

}  // namespace

std::vector<Runs> runs_for(const MergedJoin& join, int32_t num_sites) {
  std::vector<int32_t> extents;
  for (size_t dim = 0; dim < join.key.size(); ++dim) {
    extents.push_back(static_cast<int32_t>(tra::num_keys(join.key[dim])));
  }
  std::set<Runs> found;
  for (const SiteGrid& grid : grids_of_sites(extents, num_sites)) {
    Runs runs(grid.begin(), grid.end());
    for (size_t dim = 0; dim < runs.size(); ++dim) {
      runs[dim] = is_kept(join, dim) ? extents[dim] : runs[dim];
    }
    found.insert(std::move(runs));
  }
  return {found.begin(), found.end()};
}

Parts::Parts(const MergedJoin& join, Runs runs) : join_(join), runs_(std::move(runs)) {
  for (size_t dim = 0; dim < runs_.size(); ++dim) {
    num_of_group_ *= is_kept(join, dim) ? 1 : static_cast<int32_t>(runs_[dim]);
  }
  const std::vector<int64_t> groups = tra::Coarsening(join.key, join.group_key).numbers();
  const std::vector<int64_t> runs_of_joins = run_numbers();
  part_of_join_.reserve(groups.size());
  for (size_t number = 0; number < groups.size(); ++number) {
    part_of_join_.push_back(
        static_cast<int32_t>(groups[number] * num_of_group_ + runs_of_joins[number]));
  }
}

/// Returns, for every join group, its part of its aggregation group.
std::vector<int64_t> Parts::run_numbers() const {
  std::vector<std::vector<int64_t>> added(runs_.size());
  int64_t stride = 1;
  for (size_t dim = runs_.size(); dim-- > 0;) {
    added[dim].assign(static_cast<size_t>(num_keys(dim)), 0);
    if (is_kept(join_, dim)) {
      continue;
    }
    for (int64_t piece = 0; piece < num_keys(dim); ++piece) {
      added[dim][static_cast<size_t>(piece)] = stride * run_of(piece, runs_[dim], num_keys(dim));
    }
    stride *= runs_[dim];
  }
  return tra::sums_over_keys(added);
}

Runs Parts::runs_of_workers(int32_t num_sites) const {
  Runs runs = runs_;
  int64_t num_parts = 1;
  std::optional<size_t> longest;  // that has runs
  for (size_t dim = 0; dim < runs.size(); ++dim) {
    num_parts *= runs[dim];
    if (!is_kept(join_, dim) && (!longest || num_keys(dim) > num_keys(*longest))) {
      longest = dim;
    }
  }
  if (const int64_t wanted = join_.workers * num_sites; longest && num_parts < wanted) {
    runs[*longest] =
        std::min(num_keys(*longest), runs[*longest] * ((wanted + num_parts - 1) / num_parts));
  }
  return runs;
}

Cost Parts::cost_of_one_worker(const Runs& of_workers) const {
  int64_t num_joins = 1;  // of the longest run
  int64_t num_runs = 1;   // in a part
  for (size_t dim = 0; dim < of_workers.size(); ++dim) {
    if (!is_kept(join_, dim)) {
      num_joins *= (num_keys(dim) + of_workers[dim] - 1) / of_workers[dim];
      num_runs *= (of_workers[dim] + runs_[dim] - 1) / runs_[dim];
    }
  }
  const int64_t num_merged =
      (num_runs > 1 ? num_runs : 0) + (num_of_group_ > 1 ? num_of_group_ : 0);
  Cost cost;
  cost.join = cost_of_one(join_.costs.join, num_joins, join_.workers);
  cost.merge = cost_of_one(join_.costs.merge, num_merged, join_.workers);
  return cost;
}

/// Returns the aggregate's dimensions, then the runs.
std::vector<tra::KeyDim> Parts::key_of_parts() const {
  std::vector<tra::KeyDim> key = join_.group_key;
  for (const tra::DenseDim& dim : dims()) {
    key.emplace_back(dim);
  }
  return key;
}

Statement Parts::statement(Tuples& tuples, int32_t num_sites, int32_t first_part,
                           const std::vector<int32_t>& groups) const {
  const std::vector<tra::KeyDim> key = key_of_parts();
  Statement statement(tuples, num_sites, join_.costs, key);
  const Lists joins = grouped(part_of_join_, groups.size() * static_cast<size_t>(num_of_group_));
  std::vector<Operand> operands;
  size_t part = 0;
  for (const tra::Key& of_part : tra::all_keys(key)) {
    const bool is_whole = num_of_group_ == 1;
    const int32_t made = is_whole ? groups[part] : first_part + static_cast<int32_t>(part);
    operands.clear();
    for (const int32_t join : joins[part]) {
      const auto first =
          join_.operands.begin() +
          static_cast<std::ptrdiff_t>(join) * static_cast<std::ptrdiff_t>(join_.num_operands);
      operands.insert(operands.end(), first,
                      first + static_cast<std::ptrdiff_t>(join_.num_operands));
    }
    const auto run = static_cast<int64_t>(part) % num_of_group_;
    statement.add_join(made, of_part, operands, run, static_cast<int64_t>(joins[part].size()));
    ++part;
  }
  for (size_t group = 0; group < groups.size() && num_of_group_ > 1; ++group) {
    std::vector<int32_t> parts;
    for (int32_t run = 0; run < num_of_group_; ++run) {
      parts.push_back(first_part + static_cast<int32_t>(group) * num_of_group_ + run);
    }
    statement.add_group(groups[group], parts, static_cast<int64_t>(group));
  }
  return statement;
}

std::vector<tra::DenseDim> Parts::dims_of(const Runs& runs) const {
  std::vector<tra::DenseDim> dims;
  for (size_t dim = 0; dim < runs.size(); ++dim) {
    if (is_kept(join_, dim) || runs[dim] == 1) {
      continue;
    }
    const ModeGrid& grid = *tra::grid_of(join_.key[dim]);
    ModeGrid of_runs;
    of_runs.cuts.clear();
    for (int64_t run = 0; run <= runs[dim]; ++run) {
      const int64_t piece = begin_of(run, runs[dim], num_keys(dim));
      of_runs.cuts.push_back(grid.cuts[static_cast<size_t>(piece)]);
    }
    dims.push_back({tra::label_of(join_.key[dim]), std::move(of_runs)});
  }
  return dims;
}

PlannedParts cheapest_parts(const MergedJoin& join, Tuples& tuples, int32_t num_sites,
                            const PartsSolvers& solvers, const std::vector<int32_t>& groups) {
  std::vector<Runs> choices = runs_for(join, num_sites);
  if (join.operands.size() <= kMostSingly * join.num_operands) {
    choices.push_back(all_runs(join));
  }
  const auto solved = [&](const Runs& runs, const Solver& solve) {
    return solved_parts(Parts(join, runs), tuples, num_sites, solve, groups);
  };
  std::optional<SolvedParts> best;
  for (const Runs& runs : choices) {
    SolvedParts other = solved(runs, solvers.sketch);
    if (!best || is_cheaper(other.cost, best->cost)) {
      best.emplace(std::move(other));
    }
  }
  return solved(Runs(best->planned.parts.runs()), solvers.solve).planned;
}

}  // namespace tessera::placement::two_phase

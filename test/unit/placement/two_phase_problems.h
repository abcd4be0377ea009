#pragma once

#include <random>
#include <vector>

#include "placement/two_phase/problem.h"

/// Problems that tests of two-phase planning share.
namespace tessera::placement::two_phase {

inline void add_tuple(Problem& problem, int64_t cost, const std::vector<int32_t>& sites) {
  problem.sites.resize(problem.num_tuples() + 1);
  for (const int32_t site : sites) {
    problem.sites.add(problem.num_tuples(), site);
  }
  problem.send_cost.push_back(cost);
}

inline void add_join(Problem& problem, const std::vector<int32_t>& tuples, int64_t cost,
                     int64_t result_cost) {
  problem.tuples.add_list();
  for (const int32_t tuple : tuples) {
    problem.tuples.append(tuple);
  }
  problem.join_cost.push_back(cost);
  problem.result_cost.push_back(result_cost);
}

inline void add_group(Problem& problem, const std::vector<int32_t>& joins, int64_t cost) {
  problem.joins.add_list();
  for (const int32_t join : joins) {
    problem.joins.append(join);
  }
  problem.merge_cost.push_back(cost);
}

/// The product of 2x2 tiles on three sites (Two-phase §4.3), every cost 1; with its first four join
/// groups alone, as §5.2 counts them, or all eight.
inline Problem tiled_product(size_t num_groups) {
  Problem problem;
  problem.num_sites = 3;
  problem.sites = SiteRows(3);
  // X11 X12 X21 X22, then Y11 Y12 Y21 Y22; the paper counts sites from 1.
  for (const int32_t site : {0, 1, 2, 0, 2, 0, 1, 0}) {
    add_tuple(problem, 1, {site});
  }
  const std::vector<std::vector<int32_t>> joins = {{0, 4}, {0, 5}, {1, 6}, {1, 7},
                                                   {2, 4}, {2, 5}, {3, 6}, {3, 7}};
  const std::vector<std::vector<int32_t>> groups = {{0, 2}, {1, 3}, {4, 6}, {5, 7}};
  for (size_t join = 0; join < 2 * num_groups; ++join) {
    add_join(problem, joins[join], 1, 1);
    problem.join_key.push_back(joins[join][0] % 2);  // the column of X, the row of Y
  }
  for (size_t group = 0; group < num_groups; ++group) {
    add_group(problem, groups[group], 1);
    problem.group_key.push_back(static_cast<int64_t>(group));
  }
  return problem;
}

/// A problem of two or three sites with up to six aggregation groups of up to three join groups, of
/// drawn tuples, some of which may start anywhere.
inline Problem drawn_problem(std::mt19937_64& draw) {
  const auto below = [&](uint64_t bound) { return static_cast<int32_t>(draw() % bound); };
  Problem problem;
  problem.num_sites = 2 + below(2);
  problem.sites = SiteRows(problem.num_sites);
  const int32_t num_tuples = 3 + below(6);
  for (int32_t tuple = 0; tuple < num_tuples; ++tuple) {
    const int32_t site = below(static_cast<uint64_t>(problem.num_sites) + 1);
    const bool is_open = site == problem.num_sites;
    add_tuple(problem, 1 + below(5), is_open ? std::vector<int32_t>() : std::vector{site});
  }
  problem.merges = below(4) != 0;
  const int32_t num_groups = 2 + below(5);
  for (int32_t group = 0; group < num_groups; ++group) {
    std::vector<int32_t> joins;
    const int32_t num_joins = problem.merges ? 1 + below(3) : 1;
    for (int32_t count = 0; count < num_joins; ++count) {
      joins.push_back(static_cast<int32_t>(problem.num_joins()));
      const int32_t one = below(static_cast<uint64_t>(num_tuples));
      const int32_t other = below(static_cast<uint64_t>(num_tuples));
      add_join(problem, one == other ? std::vector{one} : std::vector{one, other}, 1 + below(4),
               1 + below(4));
      problem.join_key.push_back(one);
    }
    add_group(problem, joins, problem.merges ? below(3) : 0);
    problem.group_key.push_back(group);
  }
  return problem;
}

}  // namespace tessera::placement::two_phase

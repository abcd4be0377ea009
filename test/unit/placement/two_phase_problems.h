#pragma once

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
  }
  for (size_t group = 0; group < num_groups; ++group) {
    add_group(problem, groups[group], 1);
  }
  return problem;
}

}  // namespace tessera::placement::two_phase

#include "placement/two_phase/blocks.h"

#include <algorithm>
#include <utility>

namespace tessera::placement::two_phase {

namespace {

/// Adds the grids for the dimensions from `dim` on.
void add_grids(const std::vector<int32_t>& extents, int32_t num_blocks, SiteGrid grid,
               std::vector<SiteGrid>& grids) {
  const size_t dim = grid.size();
  if (dim == extents.size()) {
    if (num_blocks == 1) {
      grids.push_back(std::move(grid));
    }
    return;
  }
  const int32_t most = std::min(std::max(extents[dim], 1), num_blocks);
  for (int32_t blocks = 1; blocks <= most; ++blocks) {
    if (num_blocks % blocks == 0) {
      SiteGrid longer = grid;
      longer.push_back(blocks);
      add_grids(extents, num_blocks / blocks, std::move(longer), grids);
    }
  }
}

int32_t block_of(const Problem& problem, const SiteGrid& grid, size_t join) {
  int64_t block = 0;
  for (size_t dim = 0; dim < grid.size(); ++dim) {
    const int64_t coordinate = problem.coordinates[join * grid.size() + dim];
    block = block * grid[dim] + coordinate * grid[dim] / problem.extents[dim];
  }
  return static_cast<int32_t>(block);
}

}  // namespace

std::vector<SiteGrid> grids_of_sites(const std::vector<int32_t>& extents, int32_t num_sites) {
  std::vector<SiteGrid> grids;
  for (int32_t num_blocks = num_sites; grids.empty(); --num_blocks) {
    add_grids(extents, num_blocks, {}, grids);
  }
  return grids;
}

Plan dealt_in_blocks(const Problem& problem, const SiteGrid& grid) {
  Plan plan{{}, {}, std::vector<int32_t>(problem.num_tuples(), kUnassigned)};
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    plan.join_site.push_back(block_of(problem, grid, join));
  }
  for (size_t group = 0; group < problem.num_groups(); ++group) {
    const std::span<const int32_t> joins = problem.joins[group];
    std::vector<int32_t> sites;
    for (const int32_t join : joins) {
      sites.push_back(plan.join_site[static_cast<size_t>(join)]);
    }
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    plan.group_site.push_back(sites[group % sites.size()]);
  }
  return with_even_homes(problem, std::move(plan));
}

Plan dealt_in_runs(const Problem& problem) {
  Plan plan{std::vector<int32_t>(problem.num_joins(), kUnassigned),
            {},
            std::vector<int32_t>(problem.num_tuples(), kUnassigned)};
  size_t num_before = 0;
  for (size_t group = 0; group < problem.num_groups(); ++group) {
    const std::span<const int32_t> joins = problem.joins[group];
    const size_t middle = num_before + joins.size() / 2;
    const size_t site = middle * static_cast<size_t>(problem.num_sites) / problem.num_joins();
    num_before += joins.size();
    plan.group_site.push_back(static_cast<int32_t>(site));
    for (const int32_t join : joins) {
      plan.join_site[static_cast<size_t>(join)] = plan.group_site.back();
    }
  }
  return with_even_homes(problem, std::move(plan));
}

Plan with_even_homes(const Problem& problem, Plan plan) {
  SiteRows needed(problem.num_sites);
  needed.resize(problem.num_tuples());
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    for (const int32_t tuple : problem.tuples[join]) {
      needed.add(static_cast<size_t>(tuple), plan.join_site[join]);
    }
  }
  std::vector<int64_t> received(static_cast<size_t>(problem.num_sites), 0);
  for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
    needed.for_each(tuple, [&](int32_t site) {
      const bool is_there = problem.sites.has(tuple, site);
      received[static_cast<size_t>(site)] += is_there ? 0 : problem.send_cost[tuple];
    });
  }
  for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
    if (!problem.sites.is_empty(tuple)) {
      continue;
    }
    int32_t home = kUnassigned;
    needed.for_each(tuple, [&](int32_t site) {
      if (home == kUnassigned ||
          received[static_cast<size_t>(site)] > received[static_cast<size_t>(home)]) {
        home = site;
      }
    });
    plan.home[tuple] = home;
    if (home != kUnassigned) {
      received[static_cast<size_t>(home)] -= problem.send_cost[tuple];
    }
  }
  return plan;
}

}  // namespace tessera::placement::two_phase

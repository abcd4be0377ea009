#include "placement/two_phase/problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::placement::two_phase {

namespace {

int64_t most(const std::vector<int64_t>& by_site) {
  return *std::max_element(by_site.begin(), by_site.end());
}

int64_t sum(const std::vector<int64_t>& by_site) {
  return std::accumulate(by_site.begin(), by_site.end(), int64_t{0});
}

/// Returns T_F of every site: the tuples that it lacks and some join group there needs, each once.
std::vector<int64_t> sent_to(const Problem& problem, const Plan& plan) {
  std::vector<int64_t> by_site(static_cast<size_t>(problem.num_sites), 0);
  SiteRows needed(problem.num_sites);
  needed.resize(problem.num_tuples());
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    for (const int32_t tuple : problem.tuples[join]) {
      if (plan.join_site[join] != kUnassigned) {
        needed.add(static_cast<size_t>(tuple), plan.join_site[join]);
      }
    }
  }
  for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
    needed.for_each(tuple, [&](int32_t site) {
      if (plan.home[tuple] != site && !problem.sites.has(tuple, site)) {
        by_site[static_cast<size_t>(site)] += problem.send_cost[tuple];
      }
    });
  }
  return by_site;
}

}  // namespace

Lists grouped(const std::vector<int32_t>& group_of, size_t num_groups) {
  std::vector<size_t> next(num_groups + 1, 0);
  for (const int32_t group : group_of) {
    ++next[static_cast<size_t>(group) + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  const std::vector<size_t> first = next;
  std::vector<int32_t> numbers(group_of.size());
  for (size_t number = 0; number < group_of.size(); ++number) {
    numbers[next[static_cast<size_t>(group_of[number])]++] = static_cast<int32_t>(number);
  }
  Lists lists;
  lists.reserve(num_groups, numbers.size());
  for (size_t group = 0; group < num_groups; ++group) {
    lists.add_list();
    for (size_t place = first[group]; place < first[group + 1]; ++place) {
      lists.append(numbers[place]);
    }
  }
  return lists;
}

Cost cost_of(const Problem& problem, const Plan& plan) {
  const std::vector<int64_t> none(static_cast<size_t>(problem.num_sites), 0);
  std::vector<int64_t> joined = none;
  std::vector<int64_t> collected = none;
  std::vector<int64_t> merged = none;
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    if (plan.join_site[join] != kUnassigned) {
      joined[static_cast<size_t>(plan.join_site[join])] += problem.join_cost[join];
    }
  }
  for (size_t group = 0; group < problem.num_groups(); ++group) {
    const int32_t site = plan.group_site[group];
    if (site == kUnassigned) {
      continue;
    }
    merged[static_cast<size_t>(site)] += problem.merge_cost[group];
    for (const int32_t join : problem.joins[group]) {
      if (plan.join_site[static_cast<size_t>(join)] != site) {
        collected[static_cast<size_t>(site)] += problem.result_cost[static_cast<size_t>(join)];
      }
    }
  }
  const std::vector<int64_t> sent = sent_to(problem, plan);
  return {most(sent), most(joined), most(collected), most(merged), sum(sent) + sum(collected)};
}

}  // namespace tessera::placement::two_phase

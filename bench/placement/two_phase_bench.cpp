// How long two-phase planning takes and what its plans cost: products of tiles with a million join
// groups on 64 sites, inputs dealt out in turn or free to start anywhere. Prints a table in
// Markdown; exits with 1 if some plan takes ten seconds or more.

#include <chrono>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

#include "placement/two_phase/greedy.h"
#include "placement/two_phase/solve.h"

namespace tessera::bench {

namespace {

using namespace placement::two_phase;

constexpr int32_t kSites = 64;
constexpr double kMostSeconds = 10;

/// Tiles of 1,000 x 1,000 floats: 3.2 ms to send at 10 Gb/s, 17 ms to multiply at 120 GF/s, here in
/// microseconds.
constexpr int64_t kSend = 3'200;
constexpr int64_t kMultiply = 17'000;
constexpr int64_t kMerge = 1'500;

struct Product {
  const char* name;
  int32_t rows;
  int32_t columns;
  int32_t inner;
};

Problem problem_of(const Product& product, bool is_free) {
  Problem problem;
  problem.num_sites = kSites;
  problem.sites = SiteRows(kSites);
  const auto num_tuples =
      static_cast<size_t>(product.inner) * static_cast<size_t>(product.rows + product.columns);
  problem.sites.resize(num_tuples);
  problem.send_cost.assign(num_tuples, kSend);
  for (size_t tuple = 0; tuple < num_tuples && !is_free; ++tuple) {
    problem.sites.add(tuple, static_cast<int32_t>(tuple % kSites));
  }
  problem.extents = {product.rows, product.columns, product.inner};
  for (int32_t i = 0; i < product.rows; ++i) {
    for (int32_t j = 0; j < product.columns; ++j) {
      problem.joins.add_list();
      problem.group_key.push_back(static_cast<int64_t>(problem.merge_cost.size()));
      problem.merge_cost.push_back(kMerge * (product.inner - 1));
      for (int32_t k = 0; k < product.inner; ++k) {
        problem.joins.append(static_cast<int32_t>(problem.num_joins()));
        problem.tuples.add_list();
        problem.tuples.append(i * product.inner + k);
        problem.tuples.append(product.rows * product.inner + k * product.columns + j);
        problem.join_cost.push_back(kMultiply);
        problem.result_cost.push_back(kSend);
        problem.join_key.push_back(k);
        problem.coordinates.insert(problem.coordinates.end(), {i, j, k});
      }
    }
  }
  return problem;
}

/// Prints a row; whether it was quick enough.
bool measured(const std::string& name, const Problem& problem,
              const std::function<Plan(const Problem&)>& solve) {
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = solve(problem);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const Cost cost = cost_of(problem, plan);
  const auto seconds = [](int64_t micro) { return static_cast<double>(micro) / 1e6; };
  fmt::print("| {} | {:.2f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", name, taken.count(),
             seconds(cost.total()), seconds(cost.send), seconds(cost.join), seconds(cost.collect));
  return taken.count() < kMostSeconds;
}

}  // namespace

}  // namespace tessera::bench

int main() {
  using namespace tessera::bench;
  fmt::print(
      "| plan of 1,000,000 join groups on {} sites | planning (s) | cost (s) | send | join | "
      "collect |\n|---|---|---|---|---|---|\n",
      kSites);
  bool is_quick = true;
  for (const Product& product :
       {Product{"100 x 100 x 100", 100, 100, 100}, Product{"10 x 10 x 10,000", 10, 10, 10'000},
        Product{"1,000 x 1,000 x 1", 1'000, 1'000, 1}}) {
    for (const bool is_free : {false, true}) {
      const Problem problem = problem_of(product, is_free);
      const std::string name = fmt::format("{}{}", product.name, is_free ? ", free inputs" : "");
      is_quick &= measured(name + ", greedy", problem, [](const Problem& each) {
        return assigned_greedily(each, Rules::both, Ties::lowest_site);
      });
      is_quick &= measured(name, problem, &planned);
    }
  }
  return is_quick ? 0 : 1;
}

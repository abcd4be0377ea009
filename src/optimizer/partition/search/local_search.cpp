#include "optimizer/partition/search/local_search.h"

#include <algorithm>
#include <utility>

namespace tessera::optimizer::partition {

namespace {

/// Sweeps after which a slow descent is given up: what is left to gain is small.
constexpr int kMostSweeps = 20;

/// Whether the statement was given another alternative.
bool improve_one(const Problem& problem, Assignment& assignment, size_t statement) {
  const std::vector<double> costs = local_costs(problem, assignment, statement);
  const auto cheapest =
      static_cast<int32_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  return std::exchange(assignment[statement], cheapest) != cheapest;
}

}  // namespace

void improve(const Problem& problem, Assignment& assignment) {
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (size_t position = 0; position < assignment.size(); ++position) {
      const bool is_forward = sweep % 2 == 0;
      const size_t statement = is_forward ? position : assignment.size() - 1 - position;
      changed = improve_one(problem, assignment, statement) || changed;
    }
  }
}

Assignment fittest(const Problem& problem, const Fitness& fitness) {
  Assignment assignment(problem.num_statements(), 0);
  for (size_t statement = 0; statement < problem.num_statements(); ++statement) {
    const Alternatives& alternatives = problem.alternatives(statement);
    std::vector<double> best;
    for (size_t alternative = 0; alternative < alternatives.size(); ++alternative) {
      std::vector<double> rank = fitness(statement, alternatives.piece_lengths[alternative]);
      double cost = alternatives.own_cost(alternative);
      for (const int32_t number : problem.dependencies_in[statement]) {
        const Dependency& dependency = problem.dependencies[static_cast<size_t>(number)];
        cost += problem.table(dependency)
                    .at(problem.producer_class(
                            dependency, assignment[static_cast<size_t>(dependency.producer)]),
                        problem.consumer_class(dependency, static_cast<int32_t>(alternative)));
      }
      rank.push_back(-cost);
      if (best.empty() || rank > best) {
        best = std::move(rank);
        assignment[statement] = static_cast<int32_t>(alternative);
      }
    }
  }
  return assignment;
}

}  // namespace tessera::optimizer::partition

#include "optimizer/partition/search/fittest.h"

#include <utility>

namespace tessera::optimizer::partition {

Assignment fittest(const Problem& problem, const Fitness& fitness) {
  Assignment assignment(problem.num_statements(), 0);
  for (size_t statement = 0; statement < problem.num_statements(); ++statement) {
    const Alternatives& alternatives = problem.alternatives(statement);
    std::vector<double> best;
    int32_t fittest = 0;
    for (size_t alternative = 0; alternative < alternatives.size(); ++alternative) {
      std::vector<double> rank = fitness(statement, alternatives.piece_lengths[alternative]);
      double cost = alternatives.own_cost(alternative);
      assignment[statement] = static_cast<int32_t>(alternative);
      for (const int32_t number : problem.choice.dependencies_in[statement]) {
        cost += dependency_cost(
            problem.choice, problem.choice.dependencies[static_cast<size_t>(number)], assignment);
      }
      rank.push_back(-cost);
      if (best.empty() || rank > best) {
        best = std::move(rank);
        fittest = static_cast<int32_t>(alternative);
      }
    }
    assignment[statement] = fittest;
  }
  return assignment;
}

}  // namespace tessera::optimizer::partition

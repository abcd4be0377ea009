#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

void Problem::add(const Dependency& dependency) {
  const auto number = static_cast<int32_t>(dependencies.size());
  dependencies_in.resize(num_variables());
  dependencies_out.resize(num_variables());
  dependencies_in[static_cast<size_t>(dependency.consumer)].push_back(number);
  dependencies_out[static_cast<size_t>(dependency.producer)].push_back(number);
  dependencies.push_back(dependency);
}

double dependency_cost(const Problem& problem, const Dependency& dependency,
                       const Assignment& assignment) {
  return problem.table(dependency)
      .at(problem.producer_class(dependency, assignment[static_cast<size_t>(dependency.producer)]),
          problem.consumer_class(dependency, assignment[static_cast<size_t>(dependency.consumer)]));
}

double cost_of(const Problem& problem, const Assignment& assignment) {
  double cost = 0;
  for (size_t variable = 0; variable < problem.num_variables(); ++variable) {
    cost += problem.domain(variable).costs[static_cast<size_t>(assignment[variable])];
  }
  for (const Dependency& dependency : problem.dependencies) {
    cost += dependency_cost(problem, dependency, assignment);
  }
  return cost;
}

std::vector<double> local_costs(const Problem& problem, const Assignment& assignment,
                                size_t variable) {
  const Domain& domain = problem.domain(variable);
  std::vector<double> costs(domain.size());
  for (size_t alternative = 0; alternative < costs.size(); ++alternative) {
    costs[alternative] = domain.costs[alternative];
    for (const int32_t number : problem.dependencies_in[variable]) {
      const Dependency& dependency = problem.dependencies[static_cast<size_t>(number)];
      costs[alternative] +=
          problem.table(dependency)
              .at(problem.producer_class(dependency,
                                         assignment[static_cast<size_t>(dependency.producer)]),
                  problem.consumer_class(dependency, static_cast<int32_t>(alternative)));
    }
    for (const int32_t number : problem.dependencies_out[variable]) {
      const Dependency& dependency = problem.dependencies[static_cast<size_t>(number)];
      costs[alternative] +=
          problem.table(dependency)
              .at(problem.producer_class(dependency, static_cast<int32_t>(alternative)),
                  problem.consumer_class(dependency,
                                         assignment[static_cast<size_t>(dependency.consumer)]));
    }
  }
  return costs;
}

}  // namespace tessera::optimizer::assignment

#include "optimizer/assignment/path_program.h"

#include <algorithm>
#include <utility>

namespace tessera::optimizer::assignment {

namespace {

constexpr int32_t kUnassigned = -1;

/// The cheapest alternative of a variable for every class of its result (M[v, d_Z]).
struct Cheapest {
  std::vector<double> cost;          // by class
  std::vector<int32_t> alternative;  // by class
};

/// The dynamic program over some variables and the dependencies between them, each of which has at
/// most one consumer among them.
class PathProgram {
 public:
  /// Takes the dependencies that count, by consumer.
  PathProgram(const Problem& problem, std::vector<std::vector<int32_t>> dependencies)
      : problem_(problem),
        dependencies_(std::move(dependencies)),
        cheapest_(problem.num_variables()),
        producer_class_(problem.num_variables()) {}

  void visit(size_t variable) {
    const Domain& domain = problem_.domain(variable);
    std::vector<double> costs(domain.size());
    for (size_t alternative = 0; alternative < costs.size(); ++alternative) {
      costs[alternative] = domain.costs[alternative];
    }
    producer_class_[variable].clear();
    for (const std::vector<int32_t>& parallel : by_producer(dependencies_[variable])) {
      add_producer(parallel, costs, producer_class_[variable].emplace_back());
    }
    Cheapest& cheapest = cheapest_[variable];
    cheapest.cost.assign(domain.out.count, kInfinity);
    cheapest.alternative.assign(domain.out.count, 0);
    for (size_t alternative = 0; alternative < costs.size(); ++alternative) {
      const auto out = static_cast<size_t>(domain.out.class_of[alternative]);
      if (costs[alternative] < cheapest.cost[out]) {
        cheapest.cost[out] = costs[alternative];
        cheapest.alternative[out] = static_cast<int32_t>(alternative);
      }
    }
  }

  /// Assigns a variable that no variable of the program reads, and all that it depends on.
  void assign_from(size_t last, Assignment& assignment) const {
    const Cheapest& cheapest = cheapest_[last];
    const auto best = std::min_element(
        cheapest.cost.begin(), cheapest.cost.end(),
        [&](const double& a, const double& b) { return key(cheapest, &a) < key(cheapest, &b); });
    std::vector<std::pair<size_t, int32_t>> open = {
        {last, cheapest.alternative[static_cast<size_t>(best - cheapest.cost.begin())]}};
    while (!open.empty()) {
      const auto [variable, alternative] = open.back();
      open.pop_back();
      assignment[variable] = alternative;
      const auto groups = by_producer(dependencies_[variable]);
      for (size_t group = 0; group < groups.size(); ++group) {
        const Dependency& dependency =
            problem_.dependencies[static_cast<size_t>(groups[group].front())];
        const auto producer = static_cast<size_t>(dependency.producer);
        const int32_t wanted = producer_class_[variable][group][static_cast<size_t>(alternative)];
        open.emplace_back(producer, cheapest_[producer].alternative[static_cast<size_t>(wanted)]);
      }
    }
  }

 private:
  /// Returns the order of alternatives: cost first, then preference.
  static std::pair<double, int32_t> key(const Cheapest& cheapest, const double* cost) {
    return {*cost, cheapest.alternative[static_cast<size_t>(cost - cheapest.cost.data())]};
  }

  /// Groups dependencies by producer, because reading a variable twice makes two.
  std::vector<std::vector<int32_t>> by_producer(const std::vector<int32_t>& dependencies) const {
    std::vector<std::vector<int32_t>> groups;
    for (const int32_t dependency : dependencies) {
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        return problem_.dependencies[static_cast<size_t>(group.front())].producer ==
               problem_.dependencies[static_cast<size_t>(dependency)].producer;
      });
      if (same == groups.end()) {
        groups.push_back({dependency});
      } else {
        same->push_back(dependency);
      }
    }
    return groups;
  }

  /// Adds the least cost of one operand to the costs of a variable's alternatives. `chosen` gets
  /// the producer's class, by alternative.
  void add_producer(const std::vector<int32_t>& parallel, std::vector<double>& costs,
                    std::vector<int32_t>& chosen) const {
    const Dependency& first = problem_.dependencies[static_cast<size_t>(parallel.front())];
    const Cheapest& producer = cheapest_[static_cast<size_t>(first.producer)];
    std::vector<std::pair<double, int32_t>>
        by_class;  // of the first dependency, if it is the only one
    chosen.resize(costs.size());
    for (size_t alternative = 0; alternative < costs.size(); ++alternative) {
      const auto own =
          static_cast<size_t>(problem_.consumer_class(first, static_cast<int32_t>(alternative)));
      if (by_class.size() <= own) {
        by_class.resize(own + 1, {kInfinity, kUnassigned});
      }
      std::pair<double, int32_t> best = by_class[own];
      if (best.second == kUnassigned || parallel.size() > 1) {
        best = cheapest_class(parallel, producer, static_cast<int32_t>(alternative));
        by_class[own] = best;
      }
      costs[alternative] += best.first;
      chosen[alternative] = best.second;
    }
  }

  std::pair<double, int32_t> cheapest_class(const std::vector<int32_t>& parallel,
                                            const Cheapest& producer, int32_t alternative) const {
    std::pair<double, int32_t> best = {kInfinity, 0};
    for (size_t out = 0; out < producer.cost.size(); ++out) {
      double cost = producer.cost[out];
      for (const int32_t number : parallel) {
        const Dependency& dependency = problem_.dependencies[static_cast<size_t>(number)];
        cost +=
            problem_.table(dependency)
                .at(static_cast<int32_t>(out), problem_.consumer_class(dependency, alternative));
      }
      if (cost < best.first) {
        best = {cost, static_cast<int32_t>(out)};
      }
    }
    return best;
  }

  const Problem& problem_;
  std::vector<std::vector<int32_t>> dependencies_;  // by consumer
  std::vector<Cheapest> cheapest_;                  // by variable
  /// Indexed by variable, by group of its dependencies, by alternative.
  std::vector<std::vector<std::vector<int32_t>>> producer_class_;
};

Assignment over_forest(const Problem& problem) {
  PathProgram program(problem, problem.dependencies_in);
  for (size_t variable = 0; variable < problem.num_variables(); ++variable) {
    program.visit(variable);
  }
  Assignment assignment(problem.num_variables(), kUnassigned);
  for (size_t variable = 0; variable < problem.num_variables(); ++variable) {
    if (problem.dependencies_out[variable].empty()) {
      program.assign_from(variable, assignment);
    }
  }
  return assignment;
}

/// Returns the longest path of variables without an alternative, from its first producer on.
std::vector<size_t> longest_path(const Problem& problem, const Assignment& assignment) {
  std::vector<int64_t> length(problem.num_variables(), 0);
  std::vector<int32_t> before(problem.num_variables(), kUnassigned);
  int32_t last = kUnassigned;
  for (size_t variable = 0; variable < problem.num_variables(); ++variable) {
    if (assignment[variable] != kUnassigned) {
      continue;
    }
    length[variable] = 1;
    for (const int32_t number : problem.dependencies_in[variable]) {
      const int32_t producer = problem.dependencies[static_cast<size_t>(number)].producer;
      if (length[static_cast<size_t>(producer)] + 1 > length[variable] &&
          assignment[static_cast<size_t>(producer)] == kUnassigned) {
        length[variable] = length[static_cast<size_t>(producer)] + 1;
        before[variable] = producer;
      }
    }
    if (last == kUnassigned || length[variable] > length[static_cast<size_t>(last)]) {
      last = static_cast<int32_t>(variable);
    }
  }
  std::vector<size_t> path;
  for (; last != kUnassigned; last = before[static_cast<size_t>(last)]) {
    path.push_back(static_cast<size_t>(last));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

void assign_path(const Problem& problem, const std::vector<size_t>& path, Assignment& assignment) {
  std::vector<std::vector<int32_t>> dependencies(problem.num_variables());
  for (size_t position = 1; position < path.size(); ++position) {
    for (const int32_t number : problem.dependencies_in[path[position]]) {
      if (static_cast<size_t>(problem.dependencies[static_cast<size_t>(number)].producer) ==
          path[position - 1]) {
        dependencies[path[position]].push_back(number);
      }
    }
  }
  PathProgram program(problem, std::move(dependencies));
  for (const size_t variable : path) {
    program.visit(variable);
  }
  program.assign_from(path.back(), assignment);
}

}  // namespace

bool is_forest(const Problem& problem) {
  return std::all_of(
      problem.dependencies_out.begin(), problem.dependencies_out.end(),
      [&](const auto& dependencies) {
        return std::all_of(dependencies.begin(), dependencies.end(), [&](int32_t dependency) {
          return problem.dependencies[static_cast<size_t>(dependency)].consumer ==
                 problem.dependencies[static_cast<size_t>(dependencies.front())].consumer;
        });
      });
}

Assignment linearised(const Problem& problem) {
  if (is_forest(problem)) {
    return over_forest(problem);
  }
  Assignment assignment(problem.num_variables(), kUnassigned);
  while (true) {
    const std::vector<size_t> path = longest_path(problem, assignment);
    if (path.empty()) {
      return assignment;
    }
    assign_path(problem, path, assignment);
  }
}

}  // namespace tessera::optimizer::assignment

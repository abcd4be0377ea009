#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::optimizer::assignment {

/// The cost of an impossible choice.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The classes of a variable's alternatives, from the view of one neighbour. Alternatives that look
/// the same to it are one class.
struct Classes {
  std::vector<int32_t> class_of;  // by alternative
  size_t count = 0;
};

/// The alternatives of a variable: the cost of each by itself, and its class as a producer and for
/// every operand. Among equal costs, searches take the first.
struct Domain {
  std::vector<double> costs;
  Classes out;
  std::vector<Classes> operands;

  size_t size() const { return costs.size(); }
};

/// A variable that depends on another through operand number `operand` of the consumer.
struct Dependency {
  int32_t producer = 0;
  int32_t consumer = 0;
  int32_t operand = 0;
  int32_t table = 0;  // in Problem::tables
};

/// Costs along a dependency, by the producer's class (Domain::out) and the consumer's
/// (Domain::operands).
struct PairCosts {
  size_t num_columns = 0;
  std::vector<double> costs;

  double at(int32_t producer_class, int32_t consumer_class) const {
    return costs[static_cast<size_t>(producer_class) * num_columns +
                 static_cast<size_t>(consumer_class)];
  }
};

/// Choosing an alternative for every variable so that the sum of their own costs and of the costs
/// along dependencies is least: a minimum-cost assignment on a graph of pairwise costs.
///
/// Costs are integers, exact to nine digits if they are large. A producer comes before its
/// consumers. Variables of one kind share their domain, and dependencies between such variables
/// their tables.
struct Problem {
  std::vector<int32_t> domain_of;  // by variable, in `domains`
  std::vector<Domain> domains;
  std::vector<Dependency> dependencies;  // by consumer, then by operand
  std::vector<PairCosts> tables;
  std::vector<std::vector<int32_t>> dependencies_in;   // by variable: as consumer
  std::vector<std::vector<int32_t>> dependencies_out;  // by variable: as producer

  size_t num_variables() const { return domain_of.size(); }
  const Domain& domain(size_t variable) const {
    return domains[static_cast<size_t>(domain_of[variable])];
  }
  /// Returns the class of an alternative at either end of a dependency.
  int32_t producer_class(const Dependency& dependency, int32_t alternative) const {
    return domain(static_cast<size_t>(dependency.producer))
        .out.class_of[static_cast<size_t>(alternative)];
  }
  int32_t consumer_class(const Dependency& dependency, int32_t alternative) const {
    return domain(static_cast<size_t>(dependency.consumer))
        .operands[static_cast<size_t>(dependency.operand)]
        .class_of[static_cast<size_t>(alternative)];
  }
  const PairCosts& table(const Dependency& dependency) const {
    return tables[static_cast<size_t>(dependency.table)];
  }

  /// Adds a dependency. REQUIRES that its variables have their domains, and that dependencies come
  /// by consumer, then by operand.
  void add(const Dependency& dependency);
};

/// The alternative of every variable.
using Assignment = std::vector<int32_t>;

double cost_of(const Problem& problem, const Assignment& assignment);

/// Returns the cost along one dependency.
double dependency_cost(const Problem& problem, const Dependency& dependency,
                       const Assignment& assignment);

/// Returns the costs of one variable's alternatives with its neighbours as assigned: by themselves
/// and along all dependencies, by alternative.
std::vector<double> local_costs(const Problem& problem, const Assignment& assignment,
                                size_t variable);

}  // namespace tessera::optimizer::assignment

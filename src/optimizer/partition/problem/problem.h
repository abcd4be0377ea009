#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"
#include "optimizer/partition/problem/alternatives.h"

namespace tessera::optimizer::partition {

/// A statement that reads another's result: operand number `operand` of the consumer.
struct Dependency {
  int32_t producer = 0;
  int32_t consumer = 0;
  int32_t operand = 0;
  int32_t table = 0;  // in Problem::tables
};

/// Costs of repartition along a dependency, by the producer's class (Alternatives::out) and the
/// consumer's (Alternatives::operands).
struct RepartitionTable {
  size_t num_columns = 0;
  std::vector<double> costs;

  double at(int32_t producer_class, int32_t consumer_class) const {
    return costs[static_cast<size_t>(producer_class) * num_columns +
                 static_cast<size_t>(consumer_class)];
  }
};

/// Choosing an alternative for every statement so that the sum of their own costs and of the costs
/// along dependencies is least: a minimum-cost assignment on a graph of pairwise costs.
///
/// Equal statements share their alternatives, and dependencies between equal statements their
/// tables.
struct Problem {
  Model model;
  Fineness fineness;
  std::vector<int32_t> template_of;  // by statement, in `templates`
  std::vector<Alternatives> templates;
  std::vector<Dependency> dependencies;  // by consumer, then by operand
  std::vector<RepartitionTable> tables;
  std::vector<std::vector<int32_t>> dependencies_in;   // by statement: where it is the consumer
  std::vector<std::vector<int32_t>> dependencies_out;  // by statement: where it is the producer

  size_t num_statements() const { return model.statements.size(); }
  const Alternatives& alternatives(size_t statement) const {
    return templates[static_cast<size_t>(template_of[statement])];
  }
  /// The class of an alternative at either end of a dependency.
  int32_t producer_class(const Dependency& dependency, int32_t alternative) const {
    return alternatives(static_cast<size_t>(dependency.producer))
        .out.class_of[static_cast<size_t>(alternative)];
  }
  int32_t consumer_class(const Dependency& dependency, int32_t alternative) const {
    return alternatives(static_cast<size_t>(dependency.consumer))
        .operands[static_cast<size_t>(dependency.operand)]
        .class_of[static_cast<size_t>(alternative)];
  }
  const RepartitionTable& table(const Dependency& dependency) const {
    return tables[static_cast<size_t>(dependency.table)];
  }
};

/// The alternative of every statement.
using Assignment = std::vector<int32_t>;

/// Numbers moved by an assignment, those of files among them.
double cost_of(const Problem& problem, const Assignment& assignment);

/// The cost of repartition along one dependency.
double dependency_cost(const Problem& problem, const Dependency& dependency,
                       const Assignment& assignment);

/// What the alternatives of one statement cost, its neighbours as assigned: its own cost and that
/// of all its dependencies, by alternative.
std::vector<double> local_costs(const Problem& problem, const Assignment& assignment,
                                size_t statement);

/// The problem of a graph. Where a bound on the bytes of a call asks for more pieces, there are
/// twice as many, again and again; where no cut keeps the bound, the reason names the statement and
/// the fewest bytes.
std::variant<Problem, NoCut> problem_within(const einsum::Graph& graph,
                                            const PartitionOptions& options);

/// The same where there is no bound on the bytes of a call. Errors: `user` with that reason.
Problem problem_of(const einsum::Graph& graph, const PartitionOptions& options);

}  // namespace tessera::optimizer::partition

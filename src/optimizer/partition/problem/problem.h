#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"
#include "optimizer/partition/problem/alternatives.h"

namespace tessera::optimizer::partition {

/// A statement that reads another's result: use number `use` of the consumer.
struct Edge {
  int32_t producer = 0;
  int32_t consumer = 0;
  int32_t use = 0;
  int32_t table = 0;  // in Problem::tables
};

/// Costs of repartition along an edge, by the producer's class (Alternatives::out) and the
/// consumer's (Alternatives::uses).
struct RepartitionTable {
  size_t num_columns = 0;
  std::vector<double> costs;

  double at(int32_t producer_class, int32_t consumer_class) const {
    return costs[static_cast<size_t>(producer_class) * num_columns +
                 static_cast<size_t>(consumer_class)];
  }
};

/// Choosing an alternative for every statement so that the sum of their own costs and of the costs
/// along edges is least: a minimum-cost assignment on a graph of pairwise costs.
///
/// Equal statements share their alternatives, and edges between equal statements their tables.
struct Problem {
  Model model;
  Demand demand;
  std::vector<int32_t> template_of;  // by statement, in `templates`
  std::vector<Alternatives> templates;
  std::vector<Edge> edges;  // by consumer, then by use
  std::vector<RepartitionTable> tables;
  std::vector<std::vector<int32_t>> edges_in;   // by statement: where it is the consumer
  std::vector<std::vector<int32_t>> edges_out;  // by statement: where it is the producer

  size_t num_statements() const { return model.statements.size(); }
  const Alternatives& alternatives(size_t statement) const {
    return templates[static_cast<size_t>(template_of[statement])];
  }
  /// The class of an alternative at either end of an edge.
  int32_t producer_class(const Edge& edge, int32_t alternative) const {
    return alternatives(static_cast<size_t>(edge.producer))
        .out.class_of[static_cast<size_t>(alternative)];
  }
  int32_t consumer_class(const Edge& edge, int32_t alternative) const {
    return alternatives(static_cast<size_t>(edge.consumer))
        .uses[static_cast<size_t>(edge.use)]
        .class_of[static_cast<size_t>(alternative)];
  }
  const RepartitionTable& table(const Edge& edge) const {
    return tables[static_cast<size_t>(edge.table)];
  }
};

/// The alternative of every statement.
using Assignment = std::vector<int32_t>;

/// Numbers moved by an assignment, those of files among them.
double cost_of(const Problem& problem, const Assignment& assignment);

/// The cost of repartition along one edge.
double edge_cost(const Problem& problem, const Edge& edge, const Assignment& assignment);

/// What the alternatives of one statement cost, its neighbours as assigned: its own cost and that
/// of all its edges, by alternative.
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

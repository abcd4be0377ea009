#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/tra/absence.h"
#include "ir/tra/graph.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

/// Everything that is wrong with a graph, in words that name the node; nothing if it is sound:
/// inputs before their readers, types as infer_type() gives them, kernels and monoids that fit,
/// grids that are grids. A sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

/// The same for the type of an input relation.
std::vector<std::string> verify_type(const RelationType& type);

/// The same for all inputs of a graph by their names: each is one array, and those of one name are
/// one tensor.
std::vector<std::string> verify_inputs(
    const std::vector<std::pair<std::string, const RelationType*>>& inputs);

/// The same for an operator over sound relations; only what infer_type() does not look at or could
/// not survive.
std::vector<std::string> verify_operator(const Op& op, const Relations& relations,
                                         const expr::FunctionRegistry& functions);

/// The same for an operator over sound relations and the type of what it makes.
std::vector<std::string> verify_relation(const Op& op, const RelationType& type,
                                         const Relations& relations,
                                         const expr::FunctionRegistry& functions);

/// The same for what an operator over sound nodes makes of absent tuples (absence.h).
std::vector<std::string> verify_absence(const Op& op, const Makers& makers,
                                        const Relations& relations,
                                        const expr::FunctionRegistry& functions);

/// The same for results that a filter leaves a hole in, of a graph that is sound otherwise
/// (closedness.h).
std::vector<std::string> verify_results(const std::vector<Output>& outputs, const Makers& makers,
                                        const Relations& relations);

/// The same for the order of sums, of a graph that is reproducible (stated_order.h). A text of
/// relations may ask for it and leave it to the optimizer to state the order, so this is no part of
/// verify().
std::vector<std::string> verify_order(const Graph& graph,
                                      const expr::AggregateRegistry& aggregates);

/// A node of a graph of relations, placed on sites or not: what it reads, and whose it is.
struct NodeInOrder {
  std::vector<NodeId> inputs;
  const Origin* origin;
};

/// What is wrong with the nodes of a graph, one after the other, and with its outputs:
/// `verify_node` judges those that read sound nodes before them.
std::vector<std::string> verify_in_order(
    const std::vector<NodeInOrder>& nodes, const std::vector<Output>& outputs,
    const std::function<std::vector<std::string>(NodeId)>& verify_node);

}  // namespace tessera::tra

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

/// Returns everything that is wrong with a graph, in words that name the node; nothing if it is
/// sound: inputs before their readers, the types of infer_type(), kernels and monoids that fit,
/// grids that are grids. A sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

/// Returns the errors in the type of an input relation.
std::vector<std::string> verify_type(const RelationType& type);

/// Returns the errors in all inputs of a graph by their names: each is one array, and those of one
/// name are one tensor.
std::vector<std::string> verify_inputs(
    const std::vector<std::pair<std::string, const RelationType*>>& inputs);

/// Returns the errors in an operator over sound relations; only those that infer_type() does not
/// check or could not survive.
std::vector<std::string> verify_operator(const Op& op, const Relations& relations,
                                         const expr::FunctionRegistry& functions);

/// Returns the errors in an operator over sound relations and the type of its result.
std::vector<std::string> verify_relation(const Op& op, const RelationType& type,
                                         const Relations& relations,
                                         const expr::FunctionRegistry& functions);

/// Returns the errors in an operator's treatment of absent tuples, over sound nodes (absence.h).
std::vector<std::string> verify_absence(const Op& op, const Makers& makers,
                                        const Relations& relations,
                                        const expr::FunctionRegistry& functions);

/// Returns the errors in results that a filter leaves a hole in, of a graph that is sound otherwise
/// (closedness.h).
std::vector<std::string> verify_results(const std::vector<Output>& outputs, const Makers& makers,
                                        const Relations& relations);

/// Returns the errors in the order of sums of a reproducible graph (stated_order.h). A text of
/// relations may ask for it and leave it to the optimizer to state the order, so this is no part of
/// verify().
std::vector<std::string> verify_order(const Graph& graph,
                                      const expr::AggregateRegistry& aggregates);

/// A node of a graph of relations, placed on sites or not, with its inputs and its name.
struct NodeInOrder {
  std::vector<NodeId> inputs;
  const Origin* origin;
};

/// Returns the errors in the nodes of a graph, one after the other, and in its outputs:
/// `verify_node` judges those that read sound nodes before them.
std::vector<std::string> verify_in_order(
    const std::vector<NodeInOrder>& nodes, const std::vector<Output>& outputs,
    const std::function<std::vector<std::string>(NodeId)>& verify_node);

}  // namespace tessera::tra

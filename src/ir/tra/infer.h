#pragma once

#include <functional>

#include "ir/tra/graph.h"

namespace tessera::tra {

/// The relations that an operator may read: returns the type of a node, or null if there is no such
/// node.
using Relations = std::function<const RelationType*(NodeId)>;

/// Returns the relations of a graph, placed on sites (ir/ia) or not. REQUIRES that the graph
/// outlives them.
template <class AnyGraph>
Relations relations_of(const AnyGraph& graph) {
  return [&graph](NodeId id) {
    return id.valid() && id.index() < graph.nodes.size() ? &graph.at(id).type : nullptr;
  };
}

/// Returns the arrays that a kernel over some relations reads. REQUIRES that they exist.
std::vector<ArrayType> kernel_inputs(const std::vector<NodeId>& inputs, const Relations& relations);

/// Returns the arrays of a join's kernel, with its source if it has one.
std::vector<ArrayType> kernel_inputs(const Join& join, const Relations& relations);

/// Returns the arrays that the kernel of a walking scan reads, the states before at the end.
std::vector<ArrayType> step_inputs(const Scan& scan, const Relations& relations);

/// Returns the type of an operator's result. Throws a user Error that names the operator, the label
/// and both extents if the operator does not fit its inputs, an `unsupported` one for operations on
/// rows that do not exist. REQUIRES op is not Input: an input brings its type along.
RelationType infer_type(const Op& op, const Relations& relations);

/// Appends a node whose type is inferred.
NodeId append(Graph& graph, Op op, Origin origin);

}  // namespace tessera::tra

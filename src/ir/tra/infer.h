#pragma once

#include <functional>

#include "ir/tra/graph.h"

namespace tessera::tra {

/// The relations that an operator may read: the type of a node, or null where there is no such
/// node.
using Relations = std::function<const RelationType*(NodeId)>;

/// Those of a graph, placed on sites (ir/ia) or not. REQUIRES that the graph outlives them.
template <class AnyGraph>
Relations relations_of(const AnyGraph& graph) {
  return [&graph](NodeId id) {
    return id.valid() && id.index() < graph.nodes.size() ? &graph.at(id).type : nullptr;
  };
}

/// The arrays that a kernel over some relations reads. REQUIRES that they are there.
std::vector<ArrayType> kernel_inputs(const std::vector<NodeId>& inputs, const Relations& relations);

/// Those of a join's kernel: with its source, if it has one.
std::vector<ArrayType> kernel_inputs(const Join& join, const Relations& relations);

/// The arrays that the kernel of a scan that walks reads, the states before at the end.
std::vector<ArrayType> step_inputs(const Scan& scan, const Relations& relations);

/// The type of the relation that an operator makes. Throws a user Error that names the operator,
/// the label and both extents where the operator does not fit its inputs, an `unsupported` one for
/// what no operator does with rows. REQUIRES op is not Input: an input brings its type along.
RelationType infer_type(const Op& op, const Relations& relations);

/// Appends a node whose type is inferred.
NodeId append(Graph& graph, Op op, Origin origin);

}  // namespace tessera::tra

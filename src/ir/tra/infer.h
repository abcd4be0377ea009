#pragma once

#include "ir/tra/graph.h"

namespace tessera::tra {

/// The type of the relation an operator makes from relations that are already in the graph.
/// Throws a user Error that names the operator, the label and both extents where the operator does
/// not fit its inputs. REQUIRES op is not Input: an input brings its type along.
RelationType infer_type(const Graph& graph, const Op& op);

/// Appends a node whose type is inferred.
NodeId append(Graph& graph, Op op, Origin origin);

}  // namespace tessera::tra

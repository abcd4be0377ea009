#pragma once

#include "base/source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/description.h"
#include "ir/einsum/graph.h"

namespace tessera::einsum {

/// Describes a graph for people:
///   einsum
///   %0 = input Q : f32[s=128,a=64]
///   %7 = einsum(%0, %3) {QH[s,h,d] = sum[a] Q[s,a] * WQ[a,h,d]} : f32[s=128,h=8,d=8]   # QH
///   output(%7) Y
///
/// A statement calls its operands by their names, or x0, x1, ... if it reads one vertex twice. It
/// starts with its labels, [s=128,a=64], if they do not follow from its operands. An aggregate that
/// the registry does not have by its name is written in the header.
ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates);

/// Reads the text of describe() back to an equal graph, verified. Throws a user Error: with line,
/// column and caret if the text is at fault, in words if the graph is inconsistent.
Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates);

}  // namespace tessera::einsum

#pragma once

#include "base/source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/description.h"
#include "ir/tra/graph.h"

namespace tessera::tra {

/// Describes a graph for people:
///   tra
///   %0 = input Q : (s:2x64,a:1x64) -> f32[s=128,a=64]
///   %2 = join(%0, %1) on=(s,a; a,h) kernel={o[s,h] = sum[a] x0[s,a] * x1[a,h]}
///         : (s:2x64,h:1x8,a:1x64) -> f32[s=128,h=8]   # QH (attention.ein:5:1)
///   %3 = aggregate(%2) keep=(s,h) by=sum:f32 : ...
///   %4 = rekey(%3) key=(i=s+1,h=h) : ...              %5 = filter(%4) where={index(i) < 2} : ...
///   %6 = transform(%3) kernel={...} : ...             %7 = tile(%6) dim=d:2x4 : ...
///   %8 = concat(%7) label=d : ...                     %9 = repartition(%6) : ...
///   output(%9) Y
///
/// The key of a join or a repartition is that of its type. Key dimensions are written by
/// ir/tra/text_relation.h, kernels by expr/text/text.h. A monoid that the registry does not have by
/// its name is written in the header; so is reproducible=yes, if the graph is.
ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates);

/// Reads the text of describe() back to an equal graph, verified. Throws a user Error: with line,
/// column and caret if the text is at fault or a type is not the inferred one, in words if the
/// graph is inconsistent.
Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates);

}  // namespace tessera::tra

#pragma once

#include "base/source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/description.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// A graph as people read it:
///   ia sites=4
///   %0 = source Q at=(s,a) : (s:2x64,a:1x64) -> f32[s=128,a=64]
///   %1 = bcast(%0) at=everywhere : ...
///   %2 = shuf(%0) dims=(s) at=(s) : ...
///   %3 = local_join(%0, %1) on=(s,a; a,h) kernel={...} at=(s,a) : ...
///   %4 = local_aggregate(%3) keep=(s,h) by=sum:f32 at=(s,h) : ...
///   %5 = local_aggregate(%4) paste at=(s,h) : ...
///   %6 = local_filter(%5) where={index(s) < 1} at=(s,h) : ...
///   %7 = local_map(%6) keys=(i=s+1) at=(i) : ...
///   %8 = local_map(%6) kernel={...} at=(s,h) : ...
///   %9 = local_map(%6) cut at=(s,h) : ...
///   output(%9) Y
///
/// `at` is the placement: everywhere, or the key dimensions whose equality brings tuples to one
/// site. The key of a join, a cut or a paste is that of the type.
ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates);

/// Reads the text of describe() back to an equal graph, verified. Throws a user Error: with line,
/// column and caret where the text is at fault, in words where the graph does not hold together.
Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates);

}  // namespace tessera::ia

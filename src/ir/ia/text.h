#pragma once

#include "base/source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/description.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Describes a graph for people: a relational operator like in ir/tra/text.h, with `local_` before
/// its word, or bcast or shuf:
///   ia sites=4
///   %0 = input Q at=(2*s+a) : (s:2x64,a:2x32) -> f32[s=128,a=64]
///   %1 = bcast(%0) at=everywhere : ...
///   %2 = shuf(%0) at=(s) : ...
///   %3 = local_join(%1, %2) on=(s,a; a,h) kernel={...} at=(s) : ...
///   %4 = local_aggregate(%3) keep=(s,h) by=sum:f32 at=(s) : ...
///   %5 = local_repartition(%4) at=(s/2) : (s:4x32,h:1x8) -> ...
///   output(%5) Y
///
/// `at` is the placement: `everywhere`; `undecided`; arithmetic on the key, `(2*(s/4%3)+a)`, whose
/// value modulo the number of sites is the site; or a table of sites in row-major order of the
/// keys, `[0,1,1,0]`, with -1 for a key that no tuple has, and `[0,{1,2},1,0]` with copies.
/// `made_at` replaces it if an operator names the sites that make its tuples. On one site all lies
/// everywhere, and nothing is written.
ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates);

/// Reads the text of describe() back to an equal graph, verified. Types that can be inferred may be
/// left out, except an input's, and placements, except those of inputs and shuffles. Throws a user
/// Error: with line, column and caret if the text is at fault, in words if the graph is
/// inconsistent.
Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates);

}  // namespace tessera::ia

#pragma once

#include <string>

namespace tessera::optimizer::rewrite {

/// What came of filling in a node: why it cannot be done over what it reads, else ""; whether what
/// reads it has to be settled anew.
struct Settled {
  std::string problem;
  bool has_moved = false;
};

/// How rules see the nodes of a stage's graph. Every stage specialises it beside its rules, with
///
///   using Node, Id;                           a node, and its typed number
///   nodes(graph)                              the vector of nodes, in topological order
///   inputs(node), set_inputs(node, ids)       the nodes that it reads
///   name(node), origin(node)                  its statement
///   outputs(graph)                            the nodes that are results
///   like(graph, outputs)                      a graph without nodes whose results are these nodes
///   settle(graph, node)                       fills in what follows from the nodes that it reads,
///                                             which are in `graph`
///   has_moved(one, other)                     whether what reads `other` in place of `one` has to
///                                             be settled anew
/// where nodes that nothing reads any more are left out (rewrite/proposal.h),
///   source(node)                              the name of the user's tensor that it reads, or null
template <class Graph>
struct Nodes;

template <class Graph>
using NodeOf = typename Nodes<Graph>::Node;
template <class Graph>
using IdOf = typename Nodes<Graph>::Id;

}  // namespace tessera::optimizer::rewrite

#pragma once

#include <string>

namespace tessera::optimizer::rewrite {

/// The result of settling a node: the reason that it cannot be done over its inputs, else ""; and
/// true if its readers have to be settled again.
struct Settled {
  std::string problem;
  bool has_moved = false;
};

/// The view that rules have of a stage's graph. Every stage specialises it beside its rules, with
///
///   using Node, Id;                           a node, and its typed number
///   nodes(graph)                              the vector of nodes, in topological order
///   inputs(node), set_inputs(node, ids)       the nodes that it reads
///   name(node), origin(node)                  its statement
///   outputs(graph)                            the nodes that are results
///   like(graph, outputs)                      a graph without nodes whose results are these nodes
///   settle(graph, node)                       fills in what follows from the inputs, which are in
///                                             `graph`
///   has_moved(one, other)                     true if readers of `one` have to be settled again
///                                             when they read `other` instead
/// and, for removing unread nodes (rewrite/proposal.h),
///   source(node)                              the name of the user's tensor that it reads, or null
template <class Graph>
struct Nodes;

template <class Graph>
using NodeOf = typename Nodes<Graph>::Node;
template <class Graph>
using IdOf = typename Nodes<Graph>::Id;

}  // namespace tessera::optimizer::rewrite

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/setup/setup.h"
#include "ir/description.h"
#include "ir/einsum/text.h"
#include "ir/einsum/verify.h"
#include "ir/ia/text.h"
#include "ir/ia/verify.h"
#include "ir/tra/text.h"
#include "ir/tra/verify.h"
#include "optimizer/rewrite/rewriting.h"
#include "plan/verify.h"

namespace tessera::engine {

/// Refuses a graph for which there are problems. Errors: internal, with the arrow that made it.
void check_sound(const std::vector<std::string>& problems, const std::string& arrow);

/// Returns the graph that an arrow of the ladder made (a lowering, or a rule of the optimizer),
/// checked by the verify() of its stage if the session's settings ask for that. Errors: internal,
/// with the name of the arrow and everything that is wrong.
template <class Graph>
Graph verified(Graph graph, const std::string& arrow, const Setup& setup) {
  if (setup.settings().verify) {
    check_sound(verify(graph, setup.functions()), arrow);
  }
  return graph;
}

/// Returns a session's view of graphs while they are rewritten: verified like above, by the rule or
/// pass that made them, and printed if the session keeps steps. Lives as long as the setup.
template <class Graph>
optimizer::rewrite::View<Graph> view_for(const Setup& setup) {
  optimizer::rewrite::View<Graph> view;
  if (setup.settings().keep_steps) {
    view.print = [&setup](const Graph& graph) {
      return ir::to_text(describe(graph, setup.aggregates()));
    };
  }
  if (setup.settings().verify) {
    view.look = [&setup](const std::string& rule, const Graph& made) {
      check_sound(verify(made, setup.functions()), "rule " + rule);
    };
  }
  return view;
}

}  // namespace tessera::engine

#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/session.h"
#include "ir/einsum/verify.h"
#include "ir/ia/verify.h"
#include "ir/tra/verify.h"
#include "plan/verify.h"

namespace tessera::engine {

/// Refuses a graph for which there are problems. Errors: internal, with the arrow that made it.
void check_sound(const std::vector<std::string>& problems, const std::string& arrow);

/// The graph that an arrow of the ladder made (a lowering, or a rule of the optimizer), looked at
/// by the verify() of its stage where the session's settings ask for that. Errors: internal, with
/// the name of the arrow and everything that is wrong.
template <class Graph>
Graph verified(Graph graph, const std::string& arrow, const Session& session) {
  if (session.settings().verify) {
    check_sound(verify(graph, session.functions()), arrow);
  }
  return graph;
}

/// The same for every rule that changed a graph (OptimizeOptions::look); nothing where the session
/// does not verify. Lives as long as the session.
std::function<void(const std::string& rule, const einsum::Graph& made)> verifier_of_rules(
    const Session& session);

}  // namespace tessera::engine

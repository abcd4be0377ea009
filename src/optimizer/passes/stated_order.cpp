#include "optimizer/passes.h"
#include "optimizer/tra/reproducible.h"

namespace tessera::optimizer::pass_stated_order {

namespace {

using rewrite::Passed;
using rewrite::Rewriting;

/// A program may ask for reproducible sums, and yet its text may leave them in any order.
bool is_wanted(const tra::Graph& graph, const PassContext& context) {
  return context.is_reproducible || graph.is_reproducible;
}

Passed<tra::Graph> stated(const tra::Graph& graph, const expr::AggregateRegistry& aggregates) {
  Passed<tra::Graph> passed{with_stated_order(graph, aggregates), {}, {}};
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    if (passed.graph.nodes[node].op != graph.nodes[node].op) {
      passed.applied_at.push_back(graph.nodes[node].origin.statement);
    }
  }
  return passed;
}

void run(Rewriting<tra::Graph>& rewriting, const PassContext& context) {
  rewriting.apply("stated_order",
                  [&](const tra::Graph& graph) { return stated(graph, context.known.aggregates); });
}

}  // namespace

void register_pass(PassRegistry& registry) {
  registry.tra.add({.name = "stated_order",
                    .summary = "state in which order sums run, so that their bits are reproducible",
                    .is_wanted = &is_wanted,
                    .run = &run});
}

}  // namespace tessera::optimizer::pass_stated_order

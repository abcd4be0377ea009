#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/context.h"
#include "optimizer/ia/rule.h"
#include "optimizer/rewrite/rewriting.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer {

/// The context that a pass over relations runs in. Everything is borrowed.
struct PassContext {
  const kernels::Context& known;  // functions, aggregates, kernels, the machine
  const RelationRuleRegistry& relation_rules;
  const PlacementRuleRegistry& placement_rules;
  const std::set<std::string>& disabled;  // rules and passes by name
  int64_t num_sites = 1;
  bool is_reproducible = false;  // sums must run in a stated order
  bool is_given = false;         // the user wrote the graph, so it is not improved

  bool is_enabled(const std::string& name) const { return disabled.count(name) == 0; }
};

/// A rewrite of a whole graph of one stage into another of the same stage, one file each in
/// optimizer/passes/.
template <class Graph>
struct Pass {
  std::string name;
  std::string summary;  // one line for the reference page
  /// True if the plan needs the pass. It is asked only of enabled passes.
  std::function<bool(const Graph&, const PassContext&)> is_wanted;
  /// Empty for a part of another pass, which checks itself if the part is enabled.
  std::function<void(rewrite::Rewriting<Graph>&, const PassContext&)> run;
};

/// Runs passes in this order, each if it is enabled and wanted. REQUIRES names of passes.
template <class Graph>
Graph run_passes(Graph graph, const Registry<Pass<Graph>>& passes,
                 const std::vector<std::string>& order, const PassContext& context,
                 const rewrite::View<Graph>& view, OptimizeReport& report) {
  rewrite::Rewriting<Graph> rewriting(std::move(graph), view, report);
  for (const std::string& name : order) {
    const Pass<Graph>* pass = passes.find(name);
    TESSERA_CHECK(pass != nullptr, "there is no pass {}", name);
    if (context.is_enabled(name) && pass->is_wanted(rewriting.graph(), context)) {
      pass->run(rewriting, context);
    }
  }
  return std::move(rewriting).finish();
}

}  // namespace tessera::optimizer

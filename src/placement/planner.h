#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/registry.h"
#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/passes.h"

namespace tessera::placement {

/// The context that a planner runs in. Everything is borrowed.
struct PlannerContext {
  const optimizer::PassContext& context;  // the machine, rules, the number of sites
  const optimizer::PassRegistry& passes;
  const optimizer::rewrite::View<ia::Graph>& view;
  int64_t workers = 1;  // threads of each site that compute
};

/// A planner: an algorithm that chooses the sites of relations' tuples and of every operator, one
/// file each in placement/planners/.
struct Planner {
  std::string name;
  std::string summary;  // one line for the reference page
  /// Places relations on the sites of the context, with no placement undecided; notes go into the
  /// report. Deterministic: the same relations are placed alike. Errors: `unsupported` for more
  /// keys than it can look at.
  std::function<ia::Graph(const tra::Graph&, const PlannerContext&, optimizer::OptimizeReport&)>
      place;
  bool is_baseline = false;  // a baseline for comparison: used only by name
  bool is_quick = false;     // tried before others, which are skipped if they surely end later
};

/// The planner that always has a plan, and is taken among equals by default.
inline constexpr const char* kDefaultPlanner = "algebra";

/// The planners that a session knows.
using PlannerRegistry = Registry<Planner>;

/// Adds every planner of placement/planners/ (the list is generated from the folder).
void register_all_planners(PlannerRegistry& registry);

}  // namespace tessera::placement

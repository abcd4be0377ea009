#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/registry.h"
#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/passes.h"

namespace tessera::placement {

/// What a planner may know of the plan that is made. Everything is borrowed.
struct Surroundings {
  const optimizer::PassContext& context;  // the machine, rules, the number of sites
  const optimizer::PassRegistry& passes;
  const optimizer::rewrite::View<ia::Graph>& view;
  int64_t workers = 1;  // threads of each site that compute
};

/// A way to choose on which sites the tuples of relations lie and where every operator runs, one
/// file each in placement/planners/.
struct Planner {
  std::string name;
  std::string summary;  // one line for the reference page
  /// Relations on the sites of the surroundings, no placement undecided; what it has to say goes
  /// into the report. Deterministic: the same relations are placed alike. Errors: `unsupported`
  /// where keys are more than it can look at.
  std::function<ia::Graph(const tra::Graph&, const Surroundings&, optimizer::OptimizeReport&)>
      place;
  bool is_baseline = false;  // others are compared with it: it places only where it is named
  bool is_quick = false;     // tried before others, which are left off where they surely end later
};

/// The planner that has a plan where others have none, and is taken of equals where none is named.
inline constexpr const char* kDefaultPlanner = "algebra";

/// The planners a session knows.
using PlannerRegistry = Registry<Planner>;

/// Adds every planner of placement/planners/ (the list is generated from the folder).
void register_all_planners(PlannerRegistry& registry);

}  // namespace tessera::placement

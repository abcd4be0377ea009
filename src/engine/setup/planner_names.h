#pragma once

#include <optional>
#include <string>

#include "optimizer/partition/planner.h"
#include "placement/planner.h"

namespace tessera::engine {

/// The planners that a setting names: what cuts tensors and what places tiles on sites.
struct PlannerNames {
  std::optional<std::string> cuts;    // with its argument, "label:h,f"
  std::optional<std::string> places;  // nothing where none is named
};

/// Reads "two-phase", "exact,two-phase" or "label:h,f,two-phase": names between commas, of which at
/// most one cuts and at most one places. What follows a planner with an argument and places nothing
/// belongs to the argument. Errors: `user` for a name that neither kind has, and for two of a kind.
PlannerNames planner_names(const std::string& text,
                           const optimizer::partition::PlannerRegistry& cutting,
                           const placement::PlannerRegistry& placing);

}  // namespace tessera::engine

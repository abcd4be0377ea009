#pragma once

#include <optional>
#include <string>

#include "optimizer/partition/planner.h"
#include "placement/planner.h"

namespace tessera::engine {

/// The planners that a setting names: one that cuts tensors and one that places tiles on sites.
struct PlannerNames {
  std::optional<std::string> cuts;    // with its argument, "label:h,f"
  std::optional<std::string> places;  // nothing if none is named
};

/// Reads "two-phase", "exact,two-phase" or "label:h,f,two-phase": names between commas, of which at
/// most one cuts and at most one places. Text after a planner with an argument belongs to the
/// argument unless it names a placement planner. Errors: `user` for a name that neither kind has,
/// and for two of a kind.
PlannerNames planner_names(const std::string& text,
                           const optimizer::partition::PlannerRegistry& cutting,
                           const placement::PlannerRegistry& placing);

}  // namespace tessera::engine

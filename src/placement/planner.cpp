#include "placement/planner.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tessera::placement {

void PlannerRegistry::add(Planner planner) {
  TESSERA_CHECK(find(planner.name) == nullptr, "planner {} is registered twice", planner.name);
  planners_.push_back(std::move(planner));
}

const Planner* PlannerRegistry::find(const std::string& name) const {
  const auto found = std::find_if(planners_.begin(), planners_.end(),
                                  [&](const Planner& planner) { return planner.name == name; });
  return found == planners_.end() ? nullptr : &*found;
}

}  // namespace tessera::placement

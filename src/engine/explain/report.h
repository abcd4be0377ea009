#pragma once

#include <optional>
#include <string>

#include "engine/explain/plan_profile.h"
#include "engine/session.h"

namespace tessera::engine {

/// The figures of a plan, and of its runs where there were some, as one JSON object; without a
/// profile those of a plan that has no tasks; with the data of inputs, where the settings name a
/// directory for checkpoints, what is kept there. doc/json.md describes every member.
std::string json_report(const Stages& stages, const std::optional<PlanProfile>& profile,
                        const Session& session, const Sources* sources = nullptr);

}  // namespace tessera::engine

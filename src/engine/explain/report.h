#pragma once

#include <optional>
#include <string>

#include "engine/explain/plan_profile.h"
#include "engine/session.h"

namespace tessera::engine {

/// Returns the figures of a plan, and of its runs if there were some, as one JSON object; without a
/// profile, for a plan without tasks; with the data of inputs, if the settings name a directory for
/// checkpoints, including the checkpoints there. doc/json.md describes every member.
std::string json_report(const Stages& stages, const std::optional<PlanProfile>& profile,
                        const Session& session, const Sources* sources = nullptr);

}  // namespace tessera::engine

#pragma once

#include <string>

#include "engine/session.h"

namespace tessera::engine {

/// Whether a session knows a rule or a pass of that name.
bool is_rule(const std::string& name, const Session& session);

/// What a rule says (its equation and conditions), where it was applied to a plan, and why not
/// elsewhere. Where it was applied is known of plans that keep steps (Settings::keep_steps), of
/// others how often. REQUIRES is_rule.
std::string why_rule(const Stages& stages, const std::string& name, const Session& session);

}  // namespace tessera::engine

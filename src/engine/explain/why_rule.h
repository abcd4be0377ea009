#pragma once

#include <string>

#include "engine/session.h"

namespace tessera::engine {

/// True if a session knows a rule or a pass of that name.
bool is_rule(const std::string& name, const Session& session);

/// Explains a rule: its equation and conditions, where it was applied to a plan, and why not
/// elsewhere. The places are known for plans that keep steps (Settings::keep_steps), for others
/// only their number. REQUIRES is_rule.
std::string why_rule(const Stages& stages, const std::string& name, const Session& session);

}  // namespace tessera::engine

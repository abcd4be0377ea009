#pragma once

#include <string>

#include "engine/session.h"

namespace tessera::engine {

/// Explains a tensor, or a rule of the optimizer (why_rule.h).
///
/// For a tensor: its partition vector, its communication, that of the nearest alternatives, and why
/// no rule of the optimizer changed its statement further.
///
/// Errors: `user`, with the known names, for a tensor that the plan does not compute; for a plan
/// that starts behind the choice of cuts.
std::string why(const Stages& stages, const std::string& name, const Session& session);

}  // namespace tessera::engine

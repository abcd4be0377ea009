#pragma once

#include <string>

#include "engine/session.h"

namespace tessera::engine {

/// What there is to say of a tensor, or of a rule of the optimizer (why_rule.h).
///
/// Why a tensor is cut as it is: its partition vector, what that moves, what the nearest
/// alternatives would move, and why no rule of the optimizer changed its statement further.
///
/// Errors: `user`, with the names there are, for a tensor that the plan does not compute; for a
/// plan that starts behind the choice of cuts.
std::string why(const Stages& stages, const std::string& name, const Session& session);

}  // namespace tessera::engine

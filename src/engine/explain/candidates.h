#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/session.h"

namespace tessera::engine {

/// The candidates that were tried for a plan, in order, as a table: what was asked of each, what
/// its plan takes, and its fate. Errors: `user` where the plan starts from the text of a stage.
std::string candidates_text(const Stages& stages, const Session& session);

/// The same as a list of objects; sizes in bytes. REQUIRES that the plan starts from a program.
nlohmann::ordered_json candidates_json(const Stages& stages, const Session& session);

}  // namespace tessera::engine

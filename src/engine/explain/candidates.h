#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/session.h"

namespace tessera::engine {

/// Formats the candidates that were tried for a plan, in order, as a table: the requirements of
/// each, the figures of its plan, and its fate. Errors: `user` if the plan starts from the text of
/// a stage.
std::string candidates_text(const Stages& stages, const Session& session);

/// Returns the candidates as a list of objects; sizes in bytes. REQUIRES that the plan starts from
/// a program.
nlohmann::ordered_json candidates_json(const Stages& stages, const Session& session);

}  // namespace tessera::engine

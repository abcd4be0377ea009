#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/session.h"

namespace tessera::engine {

/// Returns the communication of a plan for several sites: in bytes, by its tasks or, if it has
/// none, by relations (optimizer/ia/communication.h), and in floats by TRA §5.3
/// (optimizer/ia/floats_moved.h); and its lower bound. A JSON object with a list of all broadcasts
/// and shuffles. REQUIRES that the plan is placed on several sites.
nlohmann::ordered_json placement_json(const Stages& stages, const Session& session);

/// Formats the bound and the sums as comments behind the placement; empty for a plan on one site.
std::string placement_text(const Stages& stages, const Session& session);

}  // namespace tessera::engine

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/session.h"

namespace tessera::engine {

/// What a plan for several sites moves between them: in bytes, as its tasks do or, where it has
/// none, counted by relations (optimizer/ia/communication.h), and in floats as TRA §5.3 predicts it
/// (optimizer/ia/floats_moved.h); and what it moves at least. A JSON object with a list of all
/// broadcasts and shuffles. REQUIRES that the plan is placed on several sites.
nlohmann::ordered_json placement_json(const Stages& stages, const Session& session);

/// The bound and the sums as comments behind the placement; empty for a plan on one site.
std::string placement_text(const Stages& stages, const Session& session);

}  // namespace tessera::engine

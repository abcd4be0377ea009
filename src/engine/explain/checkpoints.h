#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/execution/rounds.h"
#include "engine/session.h"

namespace tessera::engine {

/// What a run of a plan would keep, at which price, and what it would go on from: a line each, as
/// comments. Where the data of some input are not given, files have no names yet and nothing is
/// known to be there. REQUIRES that the settings name a directory. Errors: those of
/// checkpoint_plan().
std::string checkpoints_text(const Stages& stages, const Sources& sources, const Session& session);

/// The same as JSON (doc/json.md).
nlohmann::ordered_json checkpoints_json(const Stages& stages, const Sources& sources,
                                        const Session& session);

}  // namespace tessera::engine

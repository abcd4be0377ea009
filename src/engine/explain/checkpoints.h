#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/execution/rounds.h"
#include "engine/session.h"

namespace tessera::engine {

/// Formats the checkpoints that a run of a plan would keep, with their cost, and those it would
/// resume from: a line each, as comments. If the data of some input are not given, files have no
/// names yet and none is known to exist. REQUIRES that the settings name a directory. Errors: those
/// of checkpoint_plan().
std::string checkpoints_text(const Stages& stages, const Sources& sources, const Session& session);

/// Returns the checkpoints as JSON (doc/json.md).
nlohmann::ordered_json checkpoints_json(const Stages& stages, const Sources& sources,
                                        const Session& session);

}  // namespace tessera::engine

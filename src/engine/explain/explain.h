#pragma once

#include <string>

#include "engine/session.h"

namespace tessera::engine {

/// Formats the plan as text, JSON or DOT.
///
/// `stage` is einsum, optimized, tra, ia, tasks, or all of them (`all`); `format` is text, json or
/// dot. JSON of all stages is one object with a member for each; DOT is of one stage. In text, the
/// steps of the optimizer follow if the session keeps them, and behind the tasks the effects of the
/// session's memory budget, if it sets one. Errors: `user` for a stage that the plan lacks, or DOT
/// of all stages.
std::string explain(const Stages& stages, const std::string& stage, const std::string& format,
                    const Session& session);

}  // namespace tessera::engine

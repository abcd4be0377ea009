#pragma once

#include "engine/planning/stages.h"
#include "engine/session.h"

namespace tessera::cli {

/// Says on stderr what a program was warned of, each with its place.
void say_warnings(const engine::Stages& stages);

/// Says on stderr where the session's machine has nothing that makes its precision pay.
void say_precision(const engine::Session& session);

}  // namespace tessera::cli

#pragma once

#include "engine/planning/stages.h"
#include "engine/session.h"

namespace tessera::cli {

/// Prints the warnings of a program on stderr, each with its place.
void say_warnings(const engine::Stages& stages);

/// Warns on stderr if no kernel of the session's machine makes its precision faster.
void say_precision(const engine::Session& session);

}  // namespace tessera::cli

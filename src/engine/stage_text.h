#pragma once

#include "engine/session.h"

namespace tessera::engine {

/// Reads the text of any one stage back, verified, into an otherwise empty Stages.
/// Errors: `user`, with line, column and caret for the text, in words for what does not hold
/// together.
Stages parse_stage(const SourceText& source, const Session& session);

}  // namespace tessera::engine

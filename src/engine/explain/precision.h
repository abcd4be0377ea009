#pragma once

#include <optional>
#include <string>

#include "engine/session.h"

namespace tessera::engine {

/// Returns a note if products are of f32 although the settings ask for less, because nothing on the
/// machine makes that pay; nothing if it pays, or if f32 is asked for.
std::optional<std::string> precision_note(const Session& session);

}  // namespace tessera::engine

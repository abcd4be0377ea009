#pragma once

#include <optional>
#include <string>

#include "engine/session.h"

namespace tessera::engine {

/// Says that products are of f32 though the settings ask for less, as the machine has nothing that
/// makes it pay; nothing where it has, or where f32 is what is asked for.
std::optional<std::string> precision_note(const Session& session);

}  // namespace tessera::engine

#pragma once

#include <optional>
#include <string>

#include "plan/task_graph.h"

namespace tessera::engine {

/// Returns a message if a plan would not end within a century, with the statement to blame; nothing
/// if it may.
std::optional<std::string> never_ends(const plan::TaskGraph& graph);

}  // namespace tessera::engine

#pragma once

#include <optional>
#include <string>

#include "plan/task_graph.h"

namespace tessera::engine {

/// In words, that a plan would not end within a century, and which statement is to blame; nothing
/// where it may.
std::optional<std::string> never_ends(const plan::TaskGraph& graph);

}  // namespace tessera::engine

#pragma once

#include <array>

#include "plan/task_graph.h"

namespace tessera::plan {

/// The words for the kinds of tasks in a plan's text, in the order of TaskKind.
inline constexpr std::array<const char*, 8> kKindWords = {
    "read_source", "gather_source", "compute", "copy_box", "move", "write_sink", "send", "receive"};

}  // namespace tessera::plan

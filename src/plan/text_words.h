#pragma once

#include <array>

#include "plan/task_graph.h"

namespace tessera::plan {

/// The word of every kind of task in a plan's text, in the order of TaskKind.
inline constexpr std::array<const char*, 7> kKindWords = {
    "read_source", "compute", "copy_box", "move", "write_sink", "send", "receive"};

}  // namespace tessera::plan

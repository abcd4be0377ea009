#pragma once

#include <cstddef>

#include "expr/tile_program.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// True if the result of a program may lie on top of an operand of the same size
/// (kernels/kernel.h): in a map that reads the operand only where it writes, or a scan whose
/// elements do, with no later reader of the operand.
bool may_overwrite(const expr::TileProgram& program, size_t operand);

/// Lets results of a draft's tasks share the bytes of an input tile of equal size. The task must be
/// the tile's last reader, and the tile must be made by tasks and read by no other statement (as
/// with the merged tiles of a scan). A tile that is read from a source is left alone: its file may
/// lend it.
TaskGraph with_results_in_place(TaskGraph draft);

}  // namespace tessera::plan

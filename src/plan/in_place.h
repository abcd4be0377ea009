#pragma once

#include <cstddef>

#include "expr/tile_program.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Whether the result of a program may lie on top of an operand of the same size
/// (kernels/kernel.h): a map that reads the operand only where it writes, or a scan whose elements
/// do, behind which nothing reads it.
bool may_overwrite(const expr::TileProgram& program, size_t operand);

/// The tasks of a draft in which a result has the bytes of a tile of its size that its task is the
/// last to read, where it may: one that tasks made, and which none but they and others of the same
/// statement read before, as for what the tiles of a scan merge to. A tile that is read from a
/// source stays as it is: its file may lend it.
TaskGraph with_results_in_place(TaskGraph draft);

}  // namespace tessera::plan

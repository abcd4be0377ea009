#pragma once

#include <cstddef>

#include "expr/tile_program.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Whether the result of a program may lie on top of an operand of the same size
/// (kernels/kernel.h): a map that reads the operand only where it writes, or a scan whose elements
/// do, behind which nothing reads it.
bool may_overwrite(const expr::TileProgram& program, size_t operand);

/// The tasks of a draft with scans that write over the tile that they scan: one that tasks made, of
/// the size of the result, which nothing reads behind the scan, and before it the same statement
/// alone, for what its tiles merge to. A tile that is read from a source stays as it is: its file
/// may lend it.
TaskGraph with_scans_in_place(TaskGraph draft);

}  // namespace tessera::plan

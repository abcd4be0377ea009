#pragma once

#include <span>

#include "io/file.h"
#include "io/mapped_runs.h"

namespace tessera::io {

/// Reads many short runs of a file, in their order. Where many lie close together, they are copied
/// from a window of the file, of 4 MiB at the most, that is mapped for it: a call of the system for
/// each would take several times as long. Errors: those of File::read_exactly.
void read_runs(const File& file, std::span<const Run> runs);

}  // namespace tessera::io

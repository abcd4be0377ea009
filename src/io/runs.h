#pragma once

#include <cstdint>
#include <span>

#include "io/file.h"
#include "io/mapped_runs.h"

namespace tessera::io {

/// A part of a file, of at most 4 MiB and from a page on, with the number of runs in it.
struct Window {
  int64_t begin = 0;
  int64_t end = 0;
  size_t num_runs = 1;
  bool is_dense = false;  // mapping it takes less than a system call for every run
};

/// Returns the window of the first of some runs. REQUIRES: there is one.
Window first_window(std::span<const Run> runs);

/// Reads many short runs of a file, in their order. If many lie close together, they are copied
/// from a window that is mapped for it. Errors: those of File::read_exactly.
void read_runs(const File& file, std::span<const Run> runs);

}  // namespace tessera::io

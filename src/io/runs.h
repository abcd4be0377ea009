#pragma once

#include <cstdint>
#include <span>

#include "io/file.h"
#include "io/mapped_runs.h"

namespace tessera::io {

/// A part of a file, of 4 MiB at the most and from a page, and how many runs lie in it.
struct Window {
  int64_t begin = 0;
  int64_t end = 0;
  size_t num_runs = 1;
  bool is_dense = false;  // mapping it takes less than a call of the system for every run
};

/// That of the first of some runs. REQUIRES: there is one.
Window first_window(std::span<const Run> runs);

/// Reads many short runs of a file, in their order. Where many lie close together, they are copied
/// from a window that is mapped for it. Errors: those of File::read_exactly.
void read_runs(const File& file, std::span<const Run> runs);

}  // namespace tessera::io

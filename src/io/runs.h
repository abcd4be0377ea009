#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/file.h"

namespace tessera::io {

/// Bytes that lie one after the other, and where they are wanted.
struct Run {
  int64_t offset = 0;
  int64_t bytes = 0;
  std::byte* into = nullptr;
};

/// Reads many short runs of a file, in their order. Where many lie close together, they are copied
/// from a window of the file, of 2 MiB at the most, that is mapped for it: a call of the system for
/// each would take several times as long. Errors: those of File::read_exactly.
void read_runs(const File& file, std::span<const Run> runs);

}  // namespace tessera::io

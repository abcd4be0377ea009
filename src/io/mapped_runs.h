#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/file.h"

namespace tessera::io {

/// Contiguous bytes, and the place to copy them to.
struct Run {
  int64_t offset = 0;
  int64_t bytes = 0;
  std::byte* into = nullptr;
};

/// Copies runs out of a part of a file, [begin, end), that is mapped for it (mapped_part.h).
///
/// Returns true on success; else the contents of `into` are undefined, and reading gives the error.
/// Threads: any number.
bool copy_mapped(const File& file, int64_t begin, int64_t end, std::span<const Run> runs);

}  // namespace tessera::io

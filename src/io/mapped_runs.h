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

/// Copies runs out of a part of a file, [begin, end), that is mapped for it (mapped_part.h).
///
/// Returns whether it could; else what `into` holds is not known, and reading says what is wrong.
/// Threads: any number.
bool copy_mapped(const File& file, int64_t begin, int64_t end, std::span<const Run> runs);

}  // namespace tessera::io

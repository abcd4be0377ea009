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

/// Copies runs out of a part of a file, [begin, end), that is mapped for it. The pages that runs
/// lie in come as they are touched: to have all of them fetched by a call that says when it cannot
/// took longer than to copy the runs. Instead a bus error is caught, which says that a page is not
/// to be had, as the file is shorter or cannot be read.
///
/// Returns whether it could; else what `into` holds is not known, and reading says what is wrong.
/// The process's first call sets the handler of SIGBUS; errors of others go to the one before.
/// Threads: any number.
bool copy_mapped(const File& file, int64_t begin, int64_t end, std::span<const Run> runs);

}  // namespace tessera::io

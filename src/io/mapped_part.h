#pragma once

#include <cstddef>
#include <cstdint>

#include "io/file.h"

namespace tessera::io {

/// A function that looks at the bytes of a part of a file while they are mapped. A jump may end it,
/// so nothing in it may have a destructor or hold a lock.
using LookAtBytes = void (*)(const std::byte* bytes, void* state);

/// Maps a part of a file, [begin, end), `begin` at a page, and calls `look` with its bytes. The
/// pages come when they are touched: fetching all of them by a call that reports failures took
/// longer. Instead a bus error is caught, which signals that a page is unavailable because the file
/// is shorter or cannot be read.
///
/// Returns true if `look` came to its end; else reading the file gives the error. The process's
/// first call sets the handler of SIGBUS; errors of others go to the handler before. Threads: any
/// number.
bool look_at_mapped(const File& file, int64_t begin, int64_t end, LookAtBytes look, void* state);

}  // namespace tessera::io

#pragma once

#include <string>

namespace tessera {

/// Where files go that a run needs for itself: $TMPDIR, else /var/tmp, which is on a disk where
/// /tmp may not be.
std::string temporary_directory();

/// Opens a file without a name in a directory, for reading and writing: its bytes are gone with its
/// descriptor, however the process ends. Returns the descriptor, for the caller to close; -1 with
/// the reason in errno where there is none.
int open_unnamed_file(const std::string& directory);

}  // namespace tessera

#pragma once

#include <string>

namespace tessera {

/// Returns the directory for a run's own files: $TMPDIR, else /var/tmp, which is on a disk even if
/// /tmp is not.
std::string temporary_directory();

/// Opens a file without a name in a directory, for reading and writing: its bytes are gone with its
/// descriptor, however the process ends. Returns the descriptor, for the caller to close; -1 on
/// failure, with the reason in errno.
int open_unnamed_file(const std::string& directory);

}  // namespace tessera

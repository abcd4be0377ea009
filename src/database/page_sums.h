#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct sqlite3;

namespace tessera::database {

/// Bytes at the end of every page that SQLite leaves alone, for its checksum.
inline constexpr int kPageSumBytes = 8;

/// Returns the name of the SQLite VFS that writes a checksum into every page of a file with
/// kPageSumBytes reserved, and compares it when the page is read. A page with another checksum
/// gives SQLITE_IOERR_DATA. Files without reserved bytes are read and written unchanged.
///
/// Threads: any.
const char* vfs_with_page_sums();

/// Says which page of a connection's file gave SQLITE_IOERR_DATA last.
std::string damaged_page_of(sqlite3* connection);

/// Describes all pages of a closed file that fail their checksum; none if the file has no
/// checksums. Errors: `user` if there is no such file, `resource` if it cannot be read.
std::vector<std::string> damaged_pages(const std::string& path);

}  // namespace tessera::database

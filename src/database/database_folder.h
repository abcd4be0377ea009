#pragma once

#include <string>

#include "database/sqlite.h"

namespace tessera::database {

inline constexpr const char* kCatalogFile = "/catalog.sqlite";
inline constexpr const char* kTensorsFolder = "/tensors";
inline constexpr const char* kLockFile = "/lock";

/// The access that a process has to the files of a database.
struct DatabaseFolder {
  Connection::Access access = Connection::Access::read;
  bool is_unused = false;  // nothing was ever stored, so its catalog may be made
};

/// Checks a directory for a database, and makes it if there is none. A directory that may not be
/// written is only read: without SQLite's locks if no process has it open, because these are files
/// in it. Errors: `user` if it is something else, or holds files of others and no database;
/// `resource` if its catalog is gone but its tensors are not. Then nothing is changed.
DatabaseFolder open_folder(const std::string& directory);

}  // namespace tessera::database

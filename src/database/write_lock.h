#pragma once

#include <string>

namespace tessera::database {

/// The right to write a database, which one process has at a time. It is given up on destruction
/// and when the process ends.
class WriteLock {
 public:
  /// Errors: `resource`, naming the process that has it.
  explicit WriteLock(const std::string& path);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace tessera::database

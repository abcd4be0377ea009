#pragma once

#include <string>

namespace tessera::database {

/// The right to write a database, which one process has at a time. It is given up on destruction
/// and when the process ends.
class WriteLock {
 public:
  /// Waits for two seconds at most. Errors: `resource`, naming the process that has it.
  explicit WriteLock(const std::string& path);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  int descriptor_;
};

/// Keeps writers out while it lives. A process that may read the lock's file and not write it can
/// have one; if there is no such file, nobody has written yet.
class ReadLock {
 public:
  /// Errors: `resource` if somebody writes.
  explicit ReadLock(const std::string& path);
  ~ReadLock();
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  int descriptor_;  // negative where there is no file
};

}  // namespace tessera::database

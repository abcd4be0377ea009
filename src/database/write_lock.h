#pragma once

#include <string>

namespace tessera::database {

/// The right to write a database, which one process has at a time. The destructor releases it, and
/// so does the end of the process.
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

/// A lock that keeps writers out while it lives. A process that may read the lock's file but not
/// write it can have one; if there is no such file, no process has written yet.
class ReadLock {
 public:
  /// Takes the lock. Errors: `resource` if a process writes.
  explicit ReadLock(const std::string& path);
  ~ReadLock();
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  int descriptor_;  // negative if there is no file
};

}  // namespace tessera::database

#pragma once

#include <cstdint>

#include "io/file.h"

namespace tessera::io {

/// A lock of a range of a file against other processes that lock. Threads that share the open file
/// are not kept out.
class RangeLock {
 public:
  /// Waits until nobody else holds any of the range. Errors: `resource` if the filesystem cannot
  /// lock.
  /// lock.
  RangeLock(const File& file, int64_t offset, int64_t bytes);
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;

 private:
  int descriptor_;
  int64_t offset_;
  int64_t bytes_;
};

}  // namespace tessera::io

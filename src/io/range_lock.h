#pragma once

#include <cstdint>

#include "io/file.h"

namespace tessera::io {

/// Keeps other processes that lock out of a range of a file while it lives. Threads that share the
/// open file are not kept out.
class RangeLock {
 public:
  /// Waits until nobody else has any of the range. Errors: `resource` where the filesystem cannot
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

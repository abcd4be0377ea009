#pragma once

#include <memory>
#include <string>

#include "store/tile_io.h"

namespace tessera::io {

/// A result that several processes write, each its own parts: one of them makes the file, the
/// others join it. Until it is committed it has a temporary name in the directory of its final one.
class SharedSink : public store::TileSink {
 public:
  /// The temporary name, under which the others find an array as .npy has it.
  virtual const std::string& meeting_place() const = 0;
};

/// Makes the file of a result whose format cannot be written so: what goes there is written as an
/// array beside it first, and put into `result` when it is committed. `path` is that of the result.
/// Errors: as AtomicFile.
std::unique_ptr<SharedSink> share_by_copy(std::unique_ptr<store::TileSink> result,
                                          const std::string& path, const ArrayType& type);

/// Joins the file that another process made. It is complete for that process once this is
/// committed. Errors: `user` where there is no such file, as that process's directory is not seen
/// from here.
std::unique_ptr<store::TileSink> join_shared(const std::string& meeting_place,
                                             const ArrayType& type);

}  // namespace tessera::io

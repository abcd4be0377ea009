#pragma once

#include <memory>
#include <string>

#include "store/tile_io.h"

namespace tessera::io {

/// Where the processes are that write a result together: on one host they need no name to find the
/// file of another, so that nothing is ever left of it.
enum class Reach { host, network };

/// A result that several processes write, each its own parts: one of them makes the file, the
/// others join it. Over a network it has, until it is committed, a temporary name in the directory
/// of its final one.
class SharedSink : public store::TileSink {
 public:
  /// Where the others find it: an array as .npy has it.
  virtual std::string meeting_place() const = 0;
};

/// Makes the file of a result whose format cannot be written so: what goes there is written as an
/// array beside it first, and put into `result` when it is committed. `path` is that of the result.
/// Errors: as AtomicFile.
std::unique_ptr<SharedSink> share_by_copy(std::unique_ptr<store::TileSink> result,
                                          const std::string& path, const ArrayType& type,
                                          Reach reach);

/// Joins the file that another process made; errors call it by `name`. What this one wrote is there
/// for all once it is committed; destroyed without that it takes the temporary name away, as the
/// other process may not be there to do so. Errors: `user` where there is no such file, as that
/// process's directory is not seen from here.
std::unique_ptr<store::TileSink> join_shared(const std::string& meeting_place,
                                             const std::string& name, const ArrayType& type);

}  // namespace tessera::io

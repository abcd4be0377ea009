#pragma once

#include <memory>
#include <string>

#include "store/tile_io.h"

namespace tessera::io {

/// The reach of the processes that write a result together: on one host they need no name to find
/// each other's file, so that nothing of it is ever left.
enum class Reach { host, network };

/// A result that several processes write, each its own parts: one of them makes the file, the
/// others join it. Over a network it has, until it is committed, a temporary name in the directory
/// of its final one.
class SharedSink : public store::TileSink {
 public:
  /// Returns where the others find it: an array in .npy form.
  virtual std::string meeting_place() const = 0;
};

/// Makes the file of a result whose format cannot be shared: it is written as an array beside it
/// first, and copied into `result` when it is committed. `path` is that of the result. Errors:
/// those of AtomicFile.
std::unique_ptr<SharedSink> share_by_copy(std::unique_ptr<store::TileSink> result,
                                          const std::string& path, const ArrayType& type,
                                          Reach reach);

/// Joins the file that another process made; errors call it by `name`. The parts written here are
/// visible to all once this one is committed; destroyed without that it removes the temporary name,
/// because the other process may have died. Errors: `user` if there is no such file, because that
/// process's directory is not visible here.
std::unique_ptr<store::TileSink> join_shared(const std::string& meeting_place,
                                             const std::string& name, const ArrayType& type);

}  // namespace tessera::io

#pragma once

#include <memory>
#include <string>

#include "io/file.h"
#include "io/npy_array.h"
#include "store/tile_io.h"

namespace tessera::io {

/// A tensor that is written by tile and then read by tile, in a file without a name: none of it
/// stays in memory, and its bytes go with the object, however the process ends.
///
/// Threads: those of a source and a sink; nothing is read before commit().
class UnnamedArray : public store::TileSource, public store::TileSink {
 public:
  /// Errors: `user` if there is no such directory; `resource` if no file can be made in it.
  UnnamedArray(const std::string& directory, const ArrayType& type);

  ArrayType type() const override { return type_; }
  void write(const TileView& from) override { writer_.write(from); }
  void commit(store::Durability durability) override;
  void read(const TileView& into) const override;

 private:
  ArrayType type_;
  std::shared_ptr<const File> file_;
  NpyWriter writer_;
  std::unique_ptr<store::TileSource> source_;  // after the commit
};

}  // namespace tessera::io

#pragma once

#include <memory>
#include <string>

#include "engine/session.h"
#include "io/shared_sink.h"
#include "store/tile_io.h"

namespace tessera::program {

/// A tensor that all processes write, then all read, in a file that is gone with it: the first
/// process has it, the others join it (io::join_shared) and open it where it is.
///
/// Threads: as those of a source and a sink; nothing is read before commit().
class CommonArray : public store::TileSource, public io::SharedSink {
 public:
  /// In the spill directory of the session, which outlives it. Errors: as AtomicFile.
  CommonArray(const ArrayType& type, const engine::Session& session);

  ArrayType type() const override { return type_; }
  std::string meeting_place() const override { return file_->meeting_place(); }
  void write(const TileView& from) override { file_->write(from); }
  /// REQUIRES that the others have committed theirs.
  void commit(store::Durability durability) override;
  void read(const TileView& into) const override { source_->read(into); }

 private:
  ArrayType type_;
  const engine::Session& session_;
  std::unique_ptr<io::SharedSink> file_;  // never committed, so that it is gone with this
  std::unique_ptr<store::TileSource> source_;
};

/// The array that a process made, for all of them. Errors: `user` where there is no such file.
std::unique_ptr<store::TileSource> open_common(const std::string& place, const ArrayType& type,
                                               const engine::Session& session);

/// Writes all of a source to a sink, some rows at a time.
void copy_rows(const store::TileSource& from, store::TileSink& to);

}  // namespace tessera::program

#include "io/shared_sink.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/npy_array.h"

namespace tessera::io {

namespace {

/// Bytes of a result that are copied at once.
constexpr int64_t kCopiedBytes = int64_t{4} << 20;

File open_joined(const std::string& path, const std::string& name) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    throw_error(ErrorKind::user,
                "cannot join {}, which the first process made: {}; name a file in a directory that "
                "all processes see",
                path, std::generic_category().message(errno));
  }
  return {descriptor, name};
}

class JoinedSink : public store::TileSink {
 public:
  JoinedSink(const std::string& path, const std::string& name, const ArrayType& type)
      : path_(path), file_(open_joined(path, name)), writer_(shared_bytes(file_), type) {}

  void write(const TileView& from) override { writer_.write(from); }

  ~JoinedSink() override {
    if (!is_committed_) {
      ::unlink(path_.c_str());  // for a nameless file there is nothing to remove
    }
  }
  JoinedSink(const JoinedSink&) = delete;
  JoinedSink& operator=(const JoinedSink&) = delete;

  void commit(store::Durability durability) override {
    if (durability == store::Durability::system && ::fdatasync(file_.descriptor()) != 0) {
      throw_write_error(file_.path(), errno, 0);
    }
    is_committed_ = true;
  }

 private:
  bool is_committed_ = false;
  std::string path_;
  File file_;
  NpyWriter writer_;
};

AtomicFile::Name name_for(Reach reach) {
  return reach == Reach::host ? AtomicFile::Name::none : AtomicFile::Name::temporary;
}

class CopiedSink : public SharedSink {
 public:
  CopiedSink(std::unique_ptr<store::TileSink> result, const std::string& path,
             const ArrayType& type, Reach reach)
      : result_(std::move(result)),
        type_(type),
        file_(path, NpyWriter::total_bytes(type), name_for(reach)),
        writer_(shared_bytes(file_.file()), type) {}

  std::string meeting_place() const override { return file_.meeting_place(); }
  void write(const TileView& from) override { writer_.write(from); }

  void commit(store::Durability durability) override {
    const std::unique_ptr<store::TileSource> written =
        open_npy_array({file_.path(),
                        NpyWriter::total_bytes(type_),
                        [this](int64_t offset, std::byte* into, int64_t bytes) {
                          file_.read_at(offset, into, bytes);
                        },
                        {}},
                       type_.dtype, [this] { return type_.dtype == DType::bf16; });
    const int64_t most = std::max<int64_t>(kCopiedBytes / size_of(type_.dtype), 1);
    std::vector<std::byte> part(static_cast<size_t>(most * size_of(type_.dtype)));
    for (const Box& box : blocks_of({Shape(type_.shape.size(), 0), type_.shape}, most, most)) {
      const TileView view = dense_view(part.data(), type_.dtype, box);
      written->read(view);
      result_->write(view);
    }
    result_->commit(durability);
  }

 private:
  std::unique_ptr<store::TileSink> result_;
  ArrayType type_;
  AtomicFile file_;  // never committed, so that it goes with this object
  NpyWriter writer_;
};

}  // namespace

std::unique_ptr<SharedSink> share_by_copy(std::unique_ptr<store::TileSink> result,
                                          const std::string& path, const ArrayType& type,
                                          Reach reach) {
  return std::make_unique<CopiedSink>(std::move(result), path, type, reach);
}

std::unique_ptr<store::TileSink> join_shared(const std::string& meeting_place,
                                             const std::string& name, const ArrayType& type) {
  return std::make_unique<JoinedSink>(meeting_place, name, type);
}

}  // namespace tessera::io

#include "program/processes/common_array.h"

#include <algorithm>

#include "base/temporary_file.h"
#include "engine/setup/common_file.h"
#include "store/memory_tensor.h"

namespace tessera::program {

namespace {

constexpr const char* kFileName = "/tessera-sql.npy";  // if it were ever complete
constexpr int64_t kCopiedBytes = int64_t{8} << 20;     // at once

}  // namespace

CommonArray::CommonArray(const ArrayType& type, const engine::Session& session)
    : type_(type), session_(session) {
  const std::string directory = session.settings().spill_directory.value_or(temporary_directory());
  const io::Place place(directory + kFileName);
  file_ = session.formats()
              .for_path(place.path)
              .share(place, type, engine::reach_of(*session.setup().link()));
}

void CommonArray::commit(store::Durability) {
  source_ = open_common(meeting_place(), type_, session_);
}

std::unique_ptr<store::TileSource> open_common(const std::string& place, const ArrayType& type,
                                               const engine::Session& session) {
  return session.formats().for_path(kFileName).open(io::Place(place), type.dtype);
}

void copy_rows(const store::TileSource& from, store::TileSink& to) {
  const ArrayType type = from.type();
  if (num_elements(type.shape) == 0) {
    return;
  }
  const int64_t num_rows = type.shape.empty() ? 1 : type.shape[0];
  const int64_t row_bytes = std::max<int64_t>(1, size_in_bytes(type) / num_rows);
  const int64_t at_once = std::clamp<int64_t>(kCopiedBytes / row_bytes, 1, num_rows);
  for (int64_t first = 0; first < num_rows; first += at_once) {
    ArrayType part = type;
    if (!part.shape.empty()) {
      part.shape[0] = std::min(at_once, num_rows - first);
    }
    const store::MemoryTensor rows(part);
    TileView view = rows.view();
    if (!part.shape.empty()) {
      view.origin[0] = first;
    }
    from.read(view);
    to.write(view);
  }
}

}  // namespace tessera::program

#include "database/open_rows.h"

#include <utility>

namespace tessera::database {

namespace {

constexpr size_t kMostFiles = 64;
/// The largest file that is kept open. A file stays on the disk while it is open, even if another
/// process removes it.
constexpr int64_t kMostBytesOfFile = int64_t{16} << 20;
constexpr size_t kMostColumns = 8;

}  // namespace

OpenRows::Rows OpenRows::in_file(int64_t file, const io::CheckedArray& array) {
  const auto known = files_.find(file);
  if (known != files_.end()) {
    return known->second;
  }
  Rows rows = io::open_checked(array);
  if (size_in_bytes(array.type) <= kMostBytesOfFile) {
    if (files_.size() == kMostFiles) {
      files_.clear();
    }
    files_[file] = rows;
  }
  return rows;
}

OpenRows::Rows OpenRows::recent(const RecentRows& rows, int64_t column, const Segment& segment,
                                const ArrayType& element) {
  const auto known = recent_.find(column);
  if (known != recent_.end() && known->second.segment == segment) {
    return known->second.rows;
  }
  if (known == recent_.end() && recent_.size() == kMostColumns) {
    recent_.clear();
  }
  Rows read = rows.read(column, element);
  recent_[column] = {segment, read};
  return read;
}

void OpenRows::close_all() {
  files_.clear();
  recent_.clear();
}

}  // namespace tessera::database

#include "database/stored_tensor.h"

#include <algorithm>
#include <utility>

namespace tessera::database {

StoredTensor::StoredTensor(ArrayType type, std::vector<StoredRows> parts)
    : type_(std::move(type)), parts_(std::move(parts)) {}

void StoredTensor::read(const TileView& into) const {
  const int64_t begin = into.origin[0];
  const int64_t end = begin + into.shape[0];
  for (const StoredRows& part : parts_) {
    const int64_t from = std::max(begin, part.first_row);
    const int64_t to = std::min(end, part.first_row + part.rows->type().shape[0]);
    if (from >= to) {
      continue;
    }
    Box box = box_of(into);
    box.origin[0] = from;
    box.extent[0] = to - from;
    TileView rows = subview(into, box);
    rows.origin[0] = from - part.first_row;
    part.rows->read(rows);
  }
}

void StoredTensor::check_unchanged() const {
  for (const StoredRows& part : parts_) {
    part.rows->check_unchanged();
  }
}

std::string StoredTensor::stamp() const {
  std::string stamp;
  for (const StoredRows& part : parts_) {
    stamp += part.rows->stamp() + "\n";
  }
  return stamp;
}

}  // namespace tessera::database

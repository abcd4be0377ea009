#include "io/rows_in_files.h"

#include <algorithm>
#include <utility>

namespace tessera::io {

RowsInFiles::RowsInFiles(ArrayType type, std::vector<FileRows> parts)
    : type_(std::move(type)), parts_(std::move(parts)) {}

void RowsInFiles::read(const TileView& into) const {
  const int64_t begin = into.origin[0];
  const int64_t end = begin + into.shape[0];
  for (const FileRows& part : parts_) {
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

const FileRows& RowsInFiles::part_of(int64_t row) const {
  const auto behind = std::upper_bound(
      parts_.begin(), parts_.end(), row,
      [](int64_t wanted, const FileRows& part) { return wanted < part.first_row; });
  return *std::prev(behind);
}

void RowsInFiles::gather(const TileView& into, size_t mode,
                         std::span<const int64_t> positions) const {
  if (parts_.empty() || positions.empty()) {
    return;
  }
  if (mode == 0) {
    gather_rows(into, positions);
    return;
  }
  const FileRows& part = part_of(into.origin[0]);
  TileView rows = into;
  rows.origin[0] -= part.first_row;
  part.rows->gather(rows, mode, positions);
}

void RowsInFiles::gather_rows(const TileView& into, std::span<const int64_t> rows) const {
  TileView view = into;
  std::vector<int64_t> within;
  while (!rows.empty()) {
    const FileRows& part = part_of(rows.front());
    const int64_t end = part.first_row + part.rows->type().shape[0];
    within.clear();
    for (const int64_t row : rows) {
      if (row < part.first_row || row >= end) {
        break;
      }
      within.push_back(row - part.first_row);
    }
    view.shape[0] = static_cast<int64_t>(within.size());
    part.rows->gather(view, 0, within);
    view.data += view.shape[0] * view.strides[0] * size_of(view.dtype);
    rows = rows.subspan(within.size());
  }
}

void RowsInFiles::check_unchanged() const {
  for (const FileRows& part : parts_) {
    part.rows->check_unchanged();
  }
}

std::string RowsInFiles::stamp() const {
  std::string stamp;
  for (const FileRows& part : parts_) {
    stamp += part.rows->stamp() + "\n";
  }
  return stamp;
}

}  // namespace tessera::io

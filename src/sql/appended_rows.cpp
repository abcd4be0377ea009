#include "sql/appended_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "store/memory_tensor.h"

namespace tessera::sql {

namespace {

constexpr int64_t kNumbersOfFile = int64_t{1} << 23;
constexpr int64_t kMostNumbersInMemory = int64_t{1} << 20;

/// Rows in files one after the other, with as many rows in each but the last.
class RowsInFiles : public store::TileSource {
 public:
  RowsInFiles(ArrayType type, int64_t rows_of_file,
              std::vector<std::shared_ptr<const store::TileSource>> files)
      : type_(std::move(type)), rows_of_file_(rows_of_file), files_(std::move(files)) {}

  ArrayType type() const override { return type_; }

  void read(const TileView& into) const override {
    const int64_t end = into.origin[0] + into.shape[0];
    for (int64_t row = into.origin[0]; row < end;) {
      const int64_t file = row / rows_of_file_;
      const int64_t next = std::min(end, (file + 1) * rows_of_file_);
      TileView part = into;
      part.data = into.data + (row - into.origin[0]) * into.strides[0] * size_of(into.dtype);
      part.origin[0] = row - file * rows_of_file_;
      part.shape[0] = next - row;
      files_[static_cast<size_t>(file)]->read(part);
      row = next;
    }
  }

 private:
  ArrayType type_;
  int64_t rows_of_file_;
  std::vector<std::shared_ptr<const store::TileSource>> files_;
};

}  // namespace

AppendedRows::AppendedRows(const TensorProgram& program, DType dtype, Shape shape)
    : program_(program),
      dtype_(dtype),
      shape_(std::move(shape)),
      rows_of_file_(
          std::max<int64_t>(1, kNumbersOfFile / std::max<int64_t>(1, num_elements(shape_)))) {}

ArrayType AppendedRows::rows_of(int64_t num_rows) const {
  ArrayType type{dtype_, {num_rows}};
  type.shape.insert(type.shape.end(), shape_.begin(), shape_.end());
  return type;
}

int64_t AppendedRows::add(const std::vector<uint64_t>& bits) {
  block_.insert(block_.end(), bits.begin(), bits.end());
  const auto size = static_cast<int64_t>(block_.size());
  ++num_rows_;
  if (!program_.is_on_many_processes() &&
      (size >= kMostNumbersInMemory || program_.is_written(size))) {
    write_block();
  }
  return num_rows_ - 1;
}

void AppendedRows::write_block() {
  const int64_t row_size = num_elements(shape_);
  std::byte* data = reinterpret_cast<std::byte*>(block_.data());
  while (num_written_ < num_rows_) {
    const int64_t first = num_written_ % rows_of_file_;
    if (first == 0) {
      files_.push_back(program_.new_file(rows_of(rows_of_file_)));
    }
    Box part = whole(rows_of(std::min(num_rows_ - num_written_, rows_of_file_ - first)).shape);
    part.origin[0] = first;
    files_.back().sink->write(dense_view(data, dtype_, part));
    data += part.extent[0] * row_size * size_of(dtype_);
    num_written_ += part.extent[0];
  }
  block_.clear();
}

std::shared_ptr<const store::TileSource> AppendedRows::finish() {
  if (files_.empty()) {
    auto rows = std::make_shared<store::MemoryTensor>(rows_of(num_rows_));
    std::memcpy(rows->view().data, block_.data(), block_.size() * sizeof(uint64_t));
    return rows;
  }
  write_block();
  std::vector<std::shared_ptr<const store::TileSource>> sources;
  for (const program::KeptFile& file : files_) {
    file.sink->commit(store::Durability::process);
    sources.push_back(file.source);
  }
  return std::make_shared<RowsInFiles>(rows_of(num_rows_), rows_of_file_, std::move(sources));
}

}  // namespace tessera::sql

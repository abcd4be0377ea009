#include "sql/row_bytes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "types/native.h"

namespace tessera::sql {

namespace {

constexpr size_t kReadAhead = size_t{1} << 20;  // bytes
/// Where few values come again and again, none is read twice.
constexpr size_t kMostBytesOfValues = size_t{4} << 20;
constexpr size_t kFewestSlots = 64;

uint32_t hash_of(std::string_view bytes) {
  return static_cast<uint32_t>(std::hash<std::string_view>()(bytes));
}

/// Makes equal numbers equal in their bytes.
template <class T>
void normalise(T* elements, int64_t count) {
  for (int64_t place = 0; place < count; ++place) {
    const auto number = static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(elements[place]);
    if (number == 0) {
      elements[place] = static_cast<T>(0.0F);
    } else if (std::isnan(number)) {
      elements[place] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    }
  }
}

void normalise_all(const TileView& row, int64_t count) {
  switch (row.dtype) {
    case DType::f16:
      return normalise(row.as<Float16>(), count);
    case DType::bf16:
      return normalise(row.as<BFloat16>(), count);
    case DType::f32:
      return normalise(row.as<float>(), count);
    case DType::f64:
      return normalise(row.as<double>(), count);
    case DType::c64:
      return normalise(row.as<float>(), 2 * count);
    case DType::c128:
      return normalise(row.as<double>(), 2 * count);
    default:
      return;  // of whole numbers and truth values there is one each
  }
}

/// A row before those of one tile: f64[1,3] of rows that are f64[3].
ArrayType rows_of(const ArrayType& element, int64_t count) {
  ArrayType type = element;
  type.shape.insert(type.shape.begin(), count);
  return type;
}

int64_t num_read_ahead(const TensorRows& rows, size_t row_size) {
  const auto fitting = static_cast<int64_t>(kReadAhead / std::max<size_t>(row_size, 1));
  return rows.grid.size() == 1 ? std::clamp<int64_t>(fitting, 1, std::max<int64_t>(rows.grid[0], 1))
                               : 1;
}

size_t bytes_of(const ArrayType& type) {
  return static_cast<size_t>(num_elements(type.shape) * size_of(type.dtype));
}

}  // namespace

RowBytes::RowBytes(const store::TileSource& source, const TensorRows& rows)
    : source_(source),
      grid_(rows.grid),
      rows_(rows_of(rows.element, num_read_ahead(rows, bytes_of(rows.element)))),
      row_size_(bytes_of(rows.element)) {}

std::string_view RowBytes::of(int64_t row) {
  if (row < begin_ || row >= end_) {
    const bool follows = row == end_ && grid_.size() == 1;
    read(row, follows ? std::min(rows_.type().shape[0], grid_[0] - row) : 1);
  }
  return {reinterpret_cast<const char*>(rows_.view().data) +
              static_cast<size_t>(row - begin_) * row_size_,
          row_size_};
}

void RowBytes::read(int64_t row, int64_t count) {
  const ArrayType type = rows_.type();
  Box box;
  int64_t rest = row;
  for (size_t mode = grid_.size(); mode-- > 0;) {
    box.origin.insert(box.origin.begin(), rest % grid_[mode]);
    box.extent.insert(box.extent.begin(), 1);
    rest /= grid_[mode];
  }
  if (!box.extent.empty()) {
    box.extent.back() = count;
  }
  box.origin.insert(box.origin.end(), type.shape.size() - 1, 0);
  box.extent.insert(box.extent.end(), type.shape.begin() + 1, type.shape.end());
  source_.read(dense_view(rows_.view().data, type.dtype, box));
  begin_ = row;
  end_ = row + count;
  normalise_all(rows_.view(), num_elements(box.extent));
}

size_t ValueNumbers::add_table(const store::TileSource& source, const TensorRows& rows) {
  tables_.emplace_back(source, rows);
  known_tables_.emplace_back(source, rows);
  return tables_.size() - 1;
}

std::string_view ValueNumbers::bytes_of(int64_t number, size_t size) {
  const size_t begin = static_cast<size_t>(number) * size;
  if (begin + size <= kept_.size()) {
    return std::string_view(kept_).substr(begin, size);
  }
  const FirstRow& first = known_[static_cast<size_t>(number)];
  return known_tables_[first.table].of(first.row);
}

size_t ValueNumbers::slot_of(std::string_view bytes, uint32_t hash) {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != kFree && (known_[static_cast<size_t>(slots_[slot])].hash != hash ||
                                   bytes_of(slots_[slot], bytes.size()) != bytes)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void ValueNumbers::grow() {
  slots_.assign(std::max<size_t>(2 * slots_.size(), kFewestSlots), kFree);
  const size_t mask = slots_.size() - 1;
  for (size_t number = 0; number < known_.size(); ++number) {
    size_t slot = known_[number].hash & mask;
    while (slots_[slot] != kFree) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = static_cast<int64_t>(number);
  }
}

std::optional<int64_t> ValueNumbers::find(size_t table, int64_t row) {
  if (known_.empty()) {
    return std::nullopt;
  }
  const std::string_view bytes = tables_[table].of(row);
  const int64_t number = slots_[slot_of(bytes, hash_of(bytes))];
  return number == kFree ? std::nullopt : std::optional(number);
}

int64_t ValueNumbers::number_of(size_t table, int64_t row) {
  if (4 * (known_.size() + 1) > 3 * slots_.size()) {
    grow();
  }
  const std::string_view bytes = tables_[table].of(row);
  const uint32_t hash = hash_of(bytes);
  int64_t& number = slots_[slot_of(bytes, hash)];
  if (number == kFree) {
    number = static_cast<int64_t>(known_.size());
    known_.push_back({row, static_cast<uint32_t>(table), hash});
    if (known_.size() * bytes.size() <= kMostBytesOfValues) {
      kept_ += bytes;
    }
  }
  return number;
}

std::vector<int64_t> equal_rows(const std::vector<int64_t>& rows, const store::TileSource& source,
                                const TensorRows& tensor) {
  ValueNumbers numbers;
  numbers.add_table(source, tensor);
  std::vector<int64_t> first;  // by number
  std::vector<int64_t> equal;
  for (const int64_t row : rows) {
    const auto number = static_cast<size_t>(numbers.number_of(0, row));
    if (number == first.size()) {
      first.push_back(row);
    }
    equal.push_back(first[number]);
  }
  return equal;
}

}  // namespace tessera::sql

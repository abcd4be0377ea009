#include "sql/equal_tensors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/sqlite_text.h"
#include "sql/joined_columns.h"
#include "store/memory_tensor.h"
#include "types/native.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

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

/// The rows of a tensor as bytes, as they are asked for.
class RowBytes {
 public:
  RowBytes(const store::TileSource& source, const TensorRows& rows)
      : source_(source), grid_(rows.grid), row_(rows.element) {}

  /// Valid until the next call.
  std::string_view of(int64_t row) {
    TileView view = row_.view();
    int64_t rest = row;
    for (size_t mode = grid_.size(); mode-- > 0;) {
      view.shape.prepend(1, 1);
      view.strides.prepend(1, 0);
      view.origin.prepend(1, rest % grid_[mode]);
      rest /= grid_[mode];
    }
    source_.read(view);
    const int64_t count = num_elements(row_.type().shape);
    normalise_all(row_.view(), count);
    return {reinterpret_cast<const char*>(row_.view().data),
            static_cast<size_t>(count * size_of(row_.type().dtype))};
  }

 private:
  const store::TileSource& source_;
  Shape grid_;
  store::MemoryTensor row_;
};

/// For each of these rows the first of them whose tensor is equal. Tensors with the same hash are
/// compared.
std::vector<int64_t> equal_rows(const std::vector<int64_t>& rows, RowBytes& bytes) {
  std::unordered_multimap<size_t, int64_t> known;
  std::vector<int64_t> equal;
  std::string one;
  for (const int64_t row : rows) {
    one = bytes.of(row);
    const size_t hash = std::hash<std::string_view>()(one);
    const auto [begin, end] = known.equal_range(hash);
    const auto found =
        std::find_if(begin, end, [&](const auto& other) { return bytes.of(other.second) == one; });
    equal.push_back(found == end ? row : found->second);
    if (found == end) {
      known.emplace(hash, row);
    }
  }
  return equal;
}

}  // namespace

RelationPtr with_equal_rows(const RelationPtr& relation, const std::vector<size_t>& columns,
                            QueryCompiler& compiler) {
  std::vector<std::string> names;
  for (const size_t column : columns) {
    names.push_back(relation->columns[column].tensor->name);
  }
  compiler.program().keep(names, compiler.control());
  std::vector<JoinedColumn> joined;
  for (const size_t column : columns) {
    const RelationColumn& found = relation->columns[column];
    const std::string name = sqlite_name(found.key);
    const std::vector<int64_t> rows = compiler.connection().integers(
        fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT NULL ORDER BY {0}", name,
                    sqlite_name(relation->table)));
    RowBytes bytes(compiler.program().source(found.tensor->name), *found.tensor);
    joined.push_back({found, name, rows, equal_rows(rows, bytes), column});
    joined.back().column.is_same_if_equal = true;
  }
  return with_joined_columns(relation, joined, compiler);
}

RelationPtr with_equal_rows(const RelationPtr& relation, QueryCompiler& compiler) {
  std::vector<size_t> columns;
  for (size_t column = 0; column < relation->columns.size(); ++column) {
    if (relation->columns[column].tensor && !relation->columns[column].is_same_if_equal) {
      columns.push_back(column);
    }
  }
  return columns.empty() ? relation : with_equal_rows(relation, columns, compiler);
}

}  // namespace tessera::sql

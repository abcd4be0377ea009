#include "sql/ranked_tensors.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/sqlite_text.h"
#include "sql/joined_columns.h"
#include "sql/row_bytes.h"
#include "types/native.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// What of each row is kept in memory, as the first elements mostly tell two tensors apart.
constexpr size_t kHeadBytes = 64;

template <class T>
int compare_numbers(T one, T other) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(one) || std::isnan(other)) {
      return static_cast<int>(std::isnan(one)) - static_cast<int>(std::isnan(other));
    }
  }
  return static_cast<int>(one > other) - static_cast<int>(one < other);
}

template <class T>
int compare_elements(const T& one, const T& other) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return compare_numbers(static_cast<float>(one), static_cast<float>(other));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return compare_numbers(one, other);
  } else {
    const int real = compare_numbers(one.real(), other.real());
    return real != 0 ? real : compare_numbers(one.imag(), other.imag());
  }
}

/// Compares as many elements as both have.
int compare(DType dtype, std::string_view one, std::string_view other) {
  return visit_storage_type(dtype, [&]<class T>(std::type_identity<T>) {
    for (size_t at = 0; at + sizeof(T) <= std::min(one.size(), other.size()); at += sizeof(T)) {
      T left;
      T right;
      std::memcpy(&left, one.data() + at, sizeof(T));
      std::memcpy(&right, other.data() + at, sizeof(T));
      if (const int order = compare_elements(left, right); order != 0) {
        return order;
      }
    }
    return 0;
  });
}

/// Rows of a tensor, no two of them equal, in order.
class OrderOfRows {
 public:
  OrderOfRows(std::vector<int64_t> rows, const TensorRows& tensor, const store::TileSource& source)
      : rows_(std::move(rows)),
        dtype_(tensor.element.dtype),
        bytes_(source, tensor),
        other_bytes_(source, tensor) {
    for (const int64_t row : rows_) {
      const std::string_view bytes = bytes_.of(row);
      head_size_ = std::min(kHeadBytes, bytes.size());
      heads_.append(bytes.substr(0, head_size_));
    }
  }

  /// Which place each row has.
  std::unordered_map<int64_t, int64_t> ranks() {
    std::vector<size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t one, size_t other) { return is_less(one, other); });
    std::unordered_map<int64_t, int64_t> ranks;
    for (const size_t place : order) {
      ranks.emplace(rows_[place], static_cast<int64_t>(ranks.size()));
    }
    return ranks;
  }

 private:
  std::string_view head(size_t place) const {
    return std::string_view(heads_).substr(place * head_size_, head_size_);
  }

  bool is_less(size_t one, size_t other) {
    int order = compare(dtype_, head(one), head(other));
    if (order == 0 && one != other) {
      order = compare(dtype_, bytes_.of(rows_[one]), other_bytes_.of(rows_[other]));
    }
    return order < 0;
  }

  std::vector<int64_t> rows_;
  DType dtype_;
  RowBytes bytes_, other_bytes_;
  std::string heads_;
  size_t head_size_ = 0;
};

JoinedColumn ranks_of(const Relation& relation, const RelationColumn& column,
                      QueryCompiler& compiler) {
  const TensorRows& tensor = *column.tensor;
  const std::string name = sqlite_name(column.key);
  JoinedColumn ranks{{rank_of(column.key)}, name, {}, {}};
  ranks.column.is_hidden = true;
  ranks.keys = compiler.connection().integers(
      fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT NULL ORDER BY {0}", name,
                  sqlite_name(relation.table)));
  const store::TileSource& source = compiler.program().source(tensor.name);
  const std::vector<int64_t> equal = equal_rows(ranks.keys, source, tensor);
  std::vector<int64_t> different = equal;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  const auto places = OrderOfRows(std::move(different), tensor, source).ranks();
  for (const int64_t row : equal) {
    ranks.numbers.push_back(places.at(row));
  }
  return ranks;
}

}  // namespace

std::string rank_of(const std::string& key) {
  return key + ":rank";
}

RelationPtr with_ranks(const RelationPtr& relation, const std::vector<size_t>& columns,
                       QueryCompiler& compiler) {
  std::vector<std::string> names;
  for (const size_t column : columns) {
    names.push_back(relation->columns[column].tensor->name);
  }
  compiler.program().keep(names, compiler.control());
  std::vector<JoinedColumn> ranks;
  for (const size_t column : columns) {
    ranks.push_back(ranks_of(*relation, relation->columns[column], compiler));
  }
  return with_joined_columns(relation, ranks, compiler);
}

}  // namespace tessera::sql

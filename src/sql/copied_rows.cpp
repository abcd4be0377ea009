#include "sql/copied_rows.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "sql/stored_array.h"
#include "types/half_rounding.h"
#include "types/native.h"

namespace tessera::sql {

std::shared_ptr<const store::MemoryTensor> rounded(
    std::shared_ptr<const store::MemoryTensor> numbers, DType dtype) {
  if (dtype == numbers->type().dtype) {
    return numbers;
  }
  if (numbers->type().dtype != DType::f64) {
    return nullptr;
  }
  const ArrayType type{dtype, numbers->type().shape};
  auto into = std::make_shared<store::MemoryTensor>(type);
  const double* const from = numbers->view().as<double>();
  const double* const end = from + num_elements(type.shape);
  if (!std::all_of(from, end, [&](double number) { return is_number_of(number, dtype); })) {
    return nullptr;
  }
  const bool is_done = visit_storage_type(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool> || std::is_constructible_v<T, double, double>) {
      return false;
    } else {
      std::transform(from, end, into->view().template as<T>(), [](double number) {
        if constexpr (std::is_arithmetic_v<T>) {
          return static_cast<T>(number);
        } else {
          return T(odd_float_from(number));
        }
      });
      return true;
    }
  });
  return is_done ? into : nullptr;
}

bool are_copied(const Relation& relation, const RelationColumn& column, std::optional<DType> dtype,
                QueryCompiler& compiler, int64_t room) {
  const TensorRows& tensor = *column.tensor;
  const bool is_converted = dtype.value_or(tensor.element.dtype) != tensor.element.dtype;
  if (compiler.program().is_computed(tensor.name) || tensor.grid.size() != 1 ||
      (is_converted && tensor.element.dtype != DType::f64)) {
    return false;
  }
  const int64_t row_bytes = std::max<int64_t>(1, size_in_bytes(tensor.element));
  return compiler.key_tables().num_rows(relation.table) <= room / row_bytes;
}

std::shared_ptr<const store::MemoryTensor> copied_rows(const Relation& relation,
                                                       const RelationColumn& column,
                                                       std::optional<DType> dtype,
                                                       QueryCompiler& compiler, int64_t& room) {
  if (!are_copied(relation, column, dtype, compiler, room)) {
    return nullptr;
  }
  const TensorRows& tensor = *column.tensor;
  const KeyTables::Numbers numbers = compiler.key_tables().numbers(relation.table, column.key);
  std::vector<int64_t> rows;
  std::copy_if(numbers->begin(), numbers->end(), std::back_inserter(rows),
               [](int64_t number) { return number != KeyTables::kNull; });
  ArrayType type{tensor.element.dtype, {static_cast<int64_t>(rows.size())}};
  type.shape.insert(type.shape.end(), tensor.element.shape.begin(), tensor.element.shape.end());
  std::shared_ptr<const store::MemoryTensor> copied = std::make_shared<store::MemoryTensor>(type);
  const store::TileSource& source = compiler.program().source(tensor.name);
  source.gather(copied->view(), 0, rows);
  source.check_unchanged();
  copied = rounded(std::move(copied), dtype.value_or(type.dtype));
  room -= copied == nullptr ? 0 : size_in_bytes(copied->type());
  return copied;
}

}  // namespace tessera::sql

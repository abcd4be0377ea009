#include "sql/written_values.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/statement_error.h"
#include "sql/tensor_function.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

WrittenValues::WrittenValues(Select query)
    : query_(std::move(query)), columns_(query_.values.front().size()) {
  for (size_t row = 0; row < query_.values.size(); ++row) {
    for (size_t number = 0; number < columns_.size(); ++number) {
      const Expression& value = *query_.values[row][number];
      if (!std::holds_alternative<ArrayLiteral>(value.of)) {
        continue;
      }
      Column& column = columns_[number];
      at(value.span, [&] {
        const ArrayValue array = array_value(value);
        TESSERA_USER_CHECK(column.count == 0 || column.all.shape == array.shape,
                           "row {} has a {} in column {} of VALUES, and a row before it a {}",
                           row + 1, shape_text(array.shape), number + 1,
                           shape_text(column.all.shape));
        column.all.shape = array.shape;
        column.all.numbers.insert(column.all.numbers.end(), array.numbers.begin(),
                                  array.numbers.end());
      });
      ++column.count;
    }
  }
}

std::shared_ptr<const store::MemoryTensor> WrittenValues::tensor(size_t column) const {
  const auto& [count, all] = columns_[column];
  ArrayType type{exact_dtype(all.numbers), {count}};
  type.shape.insert(type.shape.end(), all.shape.begin(), all.shape.end());
  auto made = std::make_shared<store::MemoryTensor>(type);
  const std::vector<uint64_t> bits = bits_of(all.numbers, type.dtype);
  std::memcpy(made->view().data, bits.data(), bits.size() * sizeof(uint64_t));
  return made;
}

SelectPtr WrittenValues::numbered(const std::vector<int64_t>& first) const {
  Select query = query_;
  std::vector<int64_t> next = first;
  for (std::vector<ExpressionPtr>& row : query.values) {
    for (size_t column = 0; column < row.size(); ++column) {
      if (std::holds_alternative<ArrayLiteral>(row[column]->of)) {
        row[column] = make_expression(NumberLiteral{std::to_string(next[column]++), true});
      }
    }
  }
  return std::make_shared<const Select>(std::move(query));
}

}  // namespace tessera::sql

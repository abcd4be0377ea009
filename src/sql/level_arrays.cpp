#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "database/column_type.h"
#include "database/sql_error.h"
#include "frontend/sql/array_literal.h"
#include "sql/level.h"
#include "sql/scalar_types.h"
#include "sql/statement_error.h"
#include "sql/stored_array.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// The dtype that a type says, of tensors or of numbers.
std::optional<DType> dtype_of(const TypeName& type) {
  const std::string& name = type.name.text;
  if (name == "matrix" || name == "vector" || name == "tensor") {
    return type.modifiers.empty() ? DType::f64 : parse_dtype(type.modifiers[0]);
  }
  const std::optional<database::ScalarType> scalar = database::parse_scalar_type(name);
  return scalar == database::ScalarType::integer   ? DType::i64
         : scalar == database::ScalarType::real    ? DType::f64
         : scalar == database::ScalarType::boolean ? DType::b1
                                                   : parse_dtype(name);
}

/// PostgreSQL's `int[]` has any number of modes, `int[2][3]` and `matrix[][]` have as many as they
/// say.
void check_modes(const TypeName& type, const Shape& shape) {
  const std::vector<std::optional<int64_t>>& extents = type.extents;
  const std::string& name = type.name.text;
  const bool is_of_any = extents.empty() || extents == std::vector{std::optional<int64_t>()};
  const bool says_modes = name == "matrix" || name == "vector" || name == "tensor" || !is_of_any;
  TESSERA_USER_CHECK(!says_modes || extents.size() == shape.size(),
                     "{} cannot become a {} of {} modes", shape_text(shape), name, extents.size());
  for (size_t mode = 0; says_modes && mode < extents.size(); ++mode) {
    TESSERA_USER_CHECK(extents[mode].value_or(shape[mode]) == shape[mode],
                       "{} cannot become a {} with an extent of {}", shape_text(shape), name,
                       *extents[mode]);
  }
}

}  // namespace

Term Level::cast_term(const Cast& node, Reading& reading) {
  const Term tensor = term_of(node.operand, reading);
  const std::optional<DType> dtype = dtype_of(node.type);
  TESSERA_USER_CHECK(dtype.has_value(), "{} cannot become {}", shape_text(tensor.type.shape),
                     node.type.name.text);
  check_modes(node.type, tensor.type.shape);
  if (is_array_of_constants(*node.operand)) {
    at(node.operand->span, [&] { check_numbers(array_value(*node.operand), *dtype, "", ""); });
  }
  return plain_term({*dtype, tensor.type.shape}, [=](const Expressions& indices) {
    return program::converted(*dtype, tensor.at(indices));
  });
}

Term Level::array_term(const ExpressionPtr& expression, Reading& reading) {
  if (!is_array_of_constants(*expression)) {
    return stacked_term(std::get<ArrayLiteral>(expression->of), reading);
  }
  const ArrayValue value = array_value(*expression);
  const DType dtype = exact_dtype(value.numbers);
  Term term = plain_term({dtype, value.shape}, [this, dtype, value](const Expressions& indices) {
    return program::read(
        space_->program().add_values(bits_of(value.numbers, dtype), dtype, value.shape), indices);
  });
  term.takes_indices = true;
  return term;
}

/// Elements of one shape, one after the other along a first mode.
Term Level::stacked_term(const ArrayLiteral& array, Reading& reading) {
  std::vector<Term> elements;
  for (const ExpressionPtr& element : array.elements) {
    at(element->span, [&] {
      const std::optional<database::ScalarType> scalar = scalar_type_of(element, *scope_);
      TESSERA_USER_CHECK(scalar != database::ScalarType::text &&
                             scalar != database::ScalarType::date &&
                             !std::holds_alternative<NullLiteral>(element->of),
                         "{} in an array is no number", sqlite_text(*element));
      elements.push_back(term_of(element, reading));
      TESSERA_USER_CHECK(elements.back().type.shape == elements.front().type.shape,
                         "the elements of an array differ: {} and {}",
                         shape_text(elements.front().type.shape),
                         shape_text(elements.back().type.shape));
    });
  }
  ArrayType type{common_dtype(elements), elements.front().type.shape};
  const auto extent = static_cast<int64_t>(elements.size());
  type.shape.insert(type.shape.begin(), extent);
  const auto stacked = [elements, dtype = type.dtype](const Labels& labels) {
    const Labels of_element(labels.begin() + 1, labels.end());
    Expressions values;
    for (const Term& element : elements) {
      const program::Expression one = element.at(of_element);
      const bool is_converted = element.literal || element.type.dtype != dtype;
      values.push_back(is_converted ? program::converted(dtype, one) : one);
    }
    return program::apply("concat", {labels.front()}, std::move(values));
  };
  return plain_term(type, [stacked,
                           spare = reading.labels->of(extent)](const Expressions& indices) {
    return at_distinct(indices, {0}, {spare}, stacked);  // within, the first is a label of its own
  });
}

}  // namespace tessera::sql

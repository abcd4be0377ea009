#include "sql/stored_array.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "database/sql_error.h"
#include "sql/statement_error.h"
#include "sql/tensor_function.h"
#include "types/native.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// From here on a number with an exponent or a fraction may be another than the one written.
constexpr double kFirstInexact = 9007199254740992;  // 2^53

bool is_number_of(const WrittenNumber& number, DType dtype) {
  return std::visit(
      [&]<class N>(N value) {
        if constexpr (std::is_same_v<N, double>) {
          return sql::is_number_of(value, dtype);
        } else {
          return visit_storage_type(dtype, [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
              return std::in_range<T>(value);
            } else {
              return true;
            }
          });
        }
      },
      number);
}

std::string number_text(const WrittenNumber& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

/// "row 2: ", or nothing.
std::string row_text(std::optional<int64_t> row) {
  return row ? fmt::format("row {}: ", *row) : "";
}

}  // namespace

bool is_number_of(double number, DType dtype) {
  return std::trunc(number) == number &&
         visit_storage_type(dtype, [&]<class T>(std::type_identity<T>) {
           if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
             // The largest number itself may be no double; the one behind it is.
             return number >= static_cast<double>(std::numeric_limits<T>::min()) &&
                    number < std::ldexp(1.0, std::numeric_limits<T>::digits);
           } else {
             return true;
           }
         });
}

void check_numbers(const ArrayValue& value, DType dtype, const std::string& before,
                   const std::string& behind) {
  for (size_t place = 0; is_integer(dtype) && place < value.numbers.size(); ++place) {
    const WrittenNumber& number = value.numbers[place];
    const auto* const rounded = std::get_if<double>(&number);
    const bool is_one = is_number_of(number, dtype);
    if (!is_one || (rounded != nullptr && std::abs(*rounded) >= kFirstInexact)) {
      throw database::SqlError(
          database::SqlState::numeric_value_out_of_range,
          Error(ErrorKind::user,
                fmt::format("{}{} at {} {} {}{}", before, number_text(number),
                            place_text(place, value.shape),
                            is_one ? "may be rounded: write all digits of the" : "is no",
                            name_of(dtype), behind)));
    }
  }
}

std::string place_text(size_t place, const Shape& shape) {
  std::string text;
  for (size_t mode = shape.size(); mode-- > 0;) {
    const auto extent = static_cast<size_t>(shape[mode]);
    text.insert(0, fmt::format("[{}]", place % extent + 1));
    place /= extent;
  }
  return text;
}

void check_array(const ArrayValue& value, const database::Column& column, const std::string& table,
                 std::optional<int64_t> row) {
  const database::TensorType& type = *database::tensor_of(column.type);
  bool fits = type.extents.size() == value.shape.size();
  for (size_t mode = 0; fits && mode < value.shape.size(); ++mode) {
    fits = type.extents[mode].value_or(value.shape[mode]) == value.shape[mode];
  }
  TESSERA_USER_CHECK(fits, "{}column {} of {} is a {}, and a {} is given", row_text(row),
                     column.name, table, to_string(column.type), shape_text(value.shape));
  check_numbers(value, type.dtype, row_text(row),
                fmt::format(", of which column {} of {} is", column.name, table));
}

ExpressionPtr stored_array(const ExpressionPtr& expression, const database::Column& column,
                           const std::string& table, std::optional<int64_t> row) {
  const auto* const text = std::get_if<StringLiteral>(&expression->of);
  const bool is_array = is_array_of_constants(*expression);
  if (database::tensor_of(column.type) == nullptr || (text == nullptr && !is_array)) {
    return expression;
  }
  try {
    const ArrayValue value = is_array ? array_value(*expression) : parse_array(text->text);
    check_array(value, column, table, row);
    return is_array ? expression : array_expression(value, expression->span);
  } catch (const database::SqlError& error) {
    const Error& plain = error;
    throw database::SqlError(error.state(), Error(plain.kind(), plain.message()), expression->span);
  } catch (const Error& error) {
    throw database::SqlError(database::state_of(error.kind()), error, expression->span);
  }
}

SelectPtr with_arrays(const SelectPtr& query, const database::Table& table,
                      const std::vector<size_t>& places) {
  Select other = *query;
  for (size_t number = 0; number < other.targets.size(); ++number) {
    const bool is_named = !places.empty() && number < places.size();
    const size_t place = places.empty() ? number : is_named ? places[number] : table.columns.size();
    ExpressionPtr& expression = other.targets[number].expression;
    if (std::holds_alternative<Star>(expression->of)) {
      break;  // it is not known here how many columns it is
    }
    if (place < table.columns.size()) {
      expression = stored_array(expression, table.columns[place], table.name, std::nullopt);
    }
  }
  for (size_t row = 0; row < other.values.size(); ++row) {
    for (size_t number = 0; number < other.values[row].size(); ++number) {
      const size_t place = places.empty()           ? number
                           : number < places.size() ? places[number]
                                                    : table.columns.size();
      if (place < table.columns.size()) {
        ExpressionPtr& expression = other.values[row][number];
        expression = stored_array(expression, table.columns[place], table.name,
                                  static_cast<int64_t>(row) + 1);
      }
    }
  }
  return std::make_shared<const Select>(std::move(other));
}

}  // namespace tessera::sql

#include "frontend/sql/array_literal.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "types/mode_values.h"

namespace tessera::frontend::sql {

namespace {

/// Puts the parts of an array side by side, all of which have one shape.
void append(ArrayValue& whole, const ArrayValue& part, bool is_first) {
  if (is_first) {
    whole.shape.insert(whole.shape.end(), part.shape.begin(), part.shape.end());
  } else {
    const Shape expected(whole.shape.begin() + 1, whole.shape.end());
    TESSERA_USER_CHECK(expected == part.shape, "the rows of an array differ: {} and {}",
                       to_string(expected), to_string(part.shape));
  }
  whole.numbers.insert(whole.numbers.end(), part.numbers.begin(), part.numbers.end());
}

bool is_signed(const Expression& expression) {
  const auto* const operation = std::get_if<Operation>(&expression.of);
  return operation != nullptr && operation->operands.size() == 1 &&
         (operation->symbol == "-" || operation->symbol == "+");
}

/// A number, maybe with a sign.
double number_in(const Expression& expression) {
  if (const auto* number = std::get_if<NumberLiteral>(&expression.of)) {
    return std::strtod(number->text.c_str(), nullptr);
  }
  if (is_signed(expression)) {
    const auto& operation = std::get<Operation>(expression.of);
    const double number = number_in(*operation.operands[0]);
    return operation.symbol == "-" ? -number : number;
  }
  if (const auto* truth = std::get_if<BooleanLiteral>(&expression.of)) {
    return truth->value ? 1 : 0;
  }
  throw_error(ErrorKind::user, "{} in an array is no number", sqlite_text(expression));
}

/// Reads PostgreSQL's text of an array.
class ArrayText {
 public:
  explicit ArrayText(const std::string& text) : text_(text) {}

  ArrayValue whole() {
    ArrayValue value = next();
    skip_blanks();
    TESSERA_USER_CHECK(place_ == text_.size() && !value.shape.empty(),
                       "'{}' is no array: write '{{1,2,3}}'", text_);
    return value;
  }

 private:
  void skip_blanks() {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0) {
      ++place_;
    }
  }
  bool take(char wanted) {
    skip_blanks();
    const bool is_there = place_ < text_.size() && text_[place_] == wanted;
    place_ += is_there ? 1 : 0;
    return is_there;
  }
  ArrayValue next(size_t num_modes = 0) {
    if (!take('{')) {
      return number();
    }
    TESSERA_USER_CHECK(num_modes < kMostModes, "an array has at most {} modes", kMostModes);
    ArrayValue value{DType::f64, {0}, {}};
    while (!take('}')) {
      TESSERA_USER_CHECK(value.shape[0] == 0 || take(','), "'{}' is no array: write '{{1,2,3}}'",
                         text_);
      append(value, next(num_modes + 1), value.shape[0] == 0);
      ++value.shape[0];
    }
    return value;
  }
  ArrayValue number() {
    const char* const begin = text_.c_str() + place_;
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    TESSERA_USER_CHECK(end != begin, "'{}' is no array of numbers", text_);
    place_ += static_cast<size_t>(end - begin);
    char* behind = end;
    std::strtod(end, &behind);  // what may be imaginary
    if (*behind == 'j') {
      throw_error(ErrorKind::unsupported,
                  "complex numbers in the text of an array, '{}': COPY them from an .npy or .npz",
                  text_);
    }
    return {DType::f64, {}, {value}};
  }

  const std::string& text_;
  size_t place_ = 0;
};

}  // namespace

bool is_number(const Expression& expression) {
  return std::holds_alternative<NumberLiteral>(expression.of) ||
         std::holds_alternative<BooleanLiteral>(expression.of) ||
         (is_signed(expression) && is_number(*std::get<Operation>(expression.of).operands.front()));
}

bool is_array_of_constants(const Expression& expression) {
  const auto* const array = std::get_if<ArrayLiteral>(&expression.of);
  return array != nullptr && std::all_of(array->elements.begin(), array->elements.end(),
                                         [](const ExpressionPtr& element) {
                                           return is_number(*element) ||
                                                  is_array_of_constants(*element);
                                         });
}

ArrayValue array_value(const Expression& expression) {
  const auto* const array = std::get_if<ArrayLiteral>(&expression.of);
  if (array == nullptr) {
    return {DType::f64, {}, {number_in(expression)}};
  }
  ArrayValue value{DType::f64, {static_cast<int64_t>(array->elements.size())}, {}};
  for (size_t number = 0; number < array->elements.size(); ++number) {
    append(value, array_value(*array->elements[number]), number == 0);
  }
  return value;
}

namespace {

ExpressionPtr nested(const ArrayValue& value, size_t mode, size_t& place, SourceSpan span) {
  if (mode == value.shape.size()) {
    const double number = value.numbers[place++];
    const ExpressionPtr magnitude =
        make_expression(NumberLiteral{fmt::format("{}", std::abs(number)), false}, span);
    return std::signbit(number) ? make_expression(Operation{"-", {magnitude}}, span) : magnitude;
  }
  ArrayLiteral array;
  for (int64_t number = 0; number < value.shape[mode]; ++number) {
    array.elements.push_back(nested(value, mode + 1, place, span));
  }
  return make_expression(std::move(array), span);
}

}  // namespace

ExpressionPtr array_expression(const ArrayValue& value, SourceSpan span) {
  size_t place = 0;
  return nested(value, 0, place, span);
}

ArrayValue parse_array(const std::string& text) {
  return ArrayText(text).whole();
}

bool is_array_type(const TypeName& type) {
  const std::string& name = type.name.text;
  return !type.extents.empty() || name == "vector" || name == "matrix" || name == "tensor";
}

}  // namespace tessera::frontend::sql

#include "frontend/sql/array_literal.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "types/mode_values.h"

namespace tessera::frontend::sql {

namespace {

/// Appends a part to an array; all parts have one shape.
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

/// The first whole number from which f64 does not hold all.
constexpr uint64_t kFirstInexact = uint64_t{1} << 53U;
/// The magnitude of the least i64.
constexpr uint64_t kLeastMagnitude = uint64_t{1} << 63U;

/// Reads the number that a text begins with, without a sign; returns it and the rest of the text.
std::pair<WrittenNumber, const char*> magnitude_in(const char* begin) {
  char* end = nullptr;
  const double number = std::strtod(begin, &end);
  uint64_t whole = 0;
  const auto [behind, error] = std::from_chars(begin, end, whole);
  const bool is_exact = error == std::errc() && behind == end && whole >= kFirstInexact;
  return {is_exact ? WrittenNumber(whole) : WrittenNumber(number), end};
}

/// Applies a sign to a magnitude. The result is u64 only if i64 does not hold it.
WrittenNumber with_sign(const WrittenNumber& magnitude, bool is_negative) {
  const auto* const whole = std::get_if<uint64_t>(&magnitude);
  if (whole == nullptr) {
    const double number = std::get<double>(magnitude);
    return is_negative ? -number : number;
  }
  if (is_negative) {
    return *whole <= kLeastMagnitude ? WrittenNumber(static_cast<int64_t>(-*whole))
                                     : WrittenNumber(-static_cast<double>(*whole));
  }
  return *whole < kLeastMagnitude ? WrittenNumber(static_cast<int64_t>(*whole)) : magnitude;
}

/// Returns the value of a number, possibly with signs.
WrittenNumber number_in(const Expression& expression, bool is_negative = false) {
  if (const auto* number = std::get_if<NumberLiteral>(&expression.of)) {
    return with_sign(magnitude_in(number->text.c_str()).first, is_negative);
  }
  if (is_signed(expression)) {
    const auto& operation = std::get<Operation>(expression.of);
    return number_in(*operation.operands[0], is_negative != (operation.symbol == "-"));
  }
  if (const auto* truth = std::get_if<BooleanLiteral>(&expression.of)) {
    return with_sign(truth->value ? 1.0 : 0.0, is_negative);
  }
  throw_error(ErrorKind::user, "{} in an array is no number", sqlite_text(expression));
}

/// A reader of PostgreSQL's text of an array.
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
    ArrayValue value{{0}, {}};
    while (!take('}')) {
      TESSERA_USER_CHECK(value.shape[0] == 0 || take(','), "'{}' is no array: write '{{1,2,3}}'",
                         text_);
      append(value, next(num_modes + 1), value.shape[0] == 0);
      ++value.shape[0];
    }
    return value;
  }
  /// Reads PostgreSQL's words for truth values; returns nothing if there is none.
  std::optional<double> truth() {
    size_t end = place_;
    while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end])) != 0) {
      ++end;
    }
    const std::string word = text_.substr(place_, end - place_);
    const bool is_true = word == "true" || word == "t";
    if (!is_true && word != "false" && word != "f") {
      return std::nullopt;
    }
    place_ = end;
    return is_true ? 1.0 : 0.0;
  }
  ArrayValue number() {
    if (const std::optional<double> value = truth()) {
      return {{}, {WrittenNumber(*value)}};
    }
    const char* const begin = text_.c_str() + place_;
    const bool is_negative = *begin == '-';
    const char* const digits = begin + (is_negative || *begin == '+' ? 1 : 0);
    const auto [value, end] = magnitude_in(digits);
    const bool begins = *digits == '.' || std::isalnum(static_cast<unsigned char>(*digits)) != 0;
    TESSERA_USER_CHECK(begins && end != digits, "'{}' is no array of numbers", text_);
    place_ += static_cast<size_t>(end - begin);
    char* behind = nullptr;
    std::strtod(end, &behind);  // an imaginary part, if there is one
    if (*behind == 'j') {
      throw_error(ErrorKind::unsupported,
                  "complex numbers in the text of an array, '{}': COPY them from an .npy or .npz",
                  text_);
    }
    return {{}, {with_sign(value, is_negative)}};
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
    return {{}, {number_in(expression)}};
  }
  ArrayValue value{{static_cast<int64_t>(array->elements.size())}, {}};
  for (size_t number = 0; number < array->elements.size(); ++number) {
    append(value, array_value(*array->elements[number]), number == 0);
  }
  return value;
}

namespace {

/// Returns a text that reads back as the same number, and not as a whole number if it may be
/// rounded.
std::string written_text(const WrittenNumber& number) {
  const auto* const rounded = std::get_if<double>(&number);
  return rounded != nullptr && std::abs(*rounded) >= kFirstInexact
             ? fmt::format("{:#}", *rounded)
             : std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

ExpressionPtr nested(const ArrayValue& value, size_t mode, size_t& place, SourceSpan span) {
  if (mode == value.shape.size()) {
    const std::string text = written_text(value.numbers[place++]);
    const bool is_negative = text.starts_with('-');
    const ExpressionPtr magnitude =
        make_expression(NumberLiteral{text.substr(is_negative ? 1 : 0), false}, span);
    return is_negative ? make_expression(Operation{"-", {magnitude}}, span) : magnitude;
  }
  ArrayLiteral array;
  for (int64_t number = 0; number < value.shape[mode]; ++number) {
    array.elements.push_back(nested(value, mode + 1, place, span));
  }
  return make_expression(std::move(array), span);
}

}  // namespace

DType exact_dtype(const std::vector<WrittenNumber>& numbers) {
  bool is_whole = true;
  bool has_large = false;  // some numbers that f64 may not hold
  bool has_unsigned = false;
  bool has_negative = false;
  for (const WrittenNumber& number : numbers) {
    if (const auto* const small = std::get_if<double>(&number)) {
      is_whole = is_whole && std::abs(*small) < kFirstInexact && std::trunc(*small) == *small;
      has_negative = has_negative || *small < 0;
    } else {
      has_large = true;
      has_unsigned = has_unsigned || std::holds_alternative<uint64_t>(number);
      const auto* const whole = std::get_if<int64_t>(&number);
      has_negative = has_negative || (whole != nullptr && *whole < 0);
    }
  }
  const bool are_exact = is_whole && has_large && !(has_unsigned && has_negative);
  return !are_exact ? DType::f64 : has_unsigned ? DType::u64 : DType::i64;
}

std::vector<uint64_t> bits_of(const std::vector<WrittenNumber>& numbers, DType dtype) {
  std::vector<uint64_t> bits;
  bits.reserve(numbers.size());
  for (const WrittenNumber& number : numbers) {
    bits.push_back(std::visit(
        [&](auto value) {
          return dtype == DType::i64   ? static_cast<uint64_t>(static_cast<int64_t>(value))
                 : dtype == DType::u64 ? static_cast<uint64_t>(value)
                                       : std::bit_cast<uint64_t>(static_cast<double>(value));
        },
        number));
  }
  return bits;
}

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

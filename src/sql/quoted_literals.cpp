#include "sql/quoted_literals.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/truth_words.h"
#include "sql/number_text.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

ExpressionPtr cast_to(const char* type, const ExpressionPtr& literal) {
  return make_expression(Cast{literal, TypeName{Name{type, {}}, {}, {}}}, literal->span);
}

/// True if a text is a whole number of 64 bits and nothing else.
bool is_whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool is_quoted(const ExpressionPtr& expression) {
  return std::holds_alternative<StringLiteral>(expression->of);
}

ExpressionPtr literal_of_type(const ExpressionPtr& expression, ScalarType type) {
  const auto* const literal = std::get_if<StringLiteral>(&expression->of);
  if (literal == nullptr) {
    return nullptr;
  }
  const bool is_number = float_in(literal->text).has_value();
  switch (type) {
    case ScalarType::date:
      return cast_to("date", expression);
    case ScalarType::real:
      return is_number ? cast_to("float8", expression) : nullptr;
    case ScalarType::integer:
      return is_whole_number(literal->text) ? cast_to("int8", expression)
             : is_number                    ? cast_to("float8", expression)
                                            : nullptr;
    case ScalarType::boolean: {
      const std::optional<bool> truth = truth_in(literal->text);
      return truth ? make_expression(BooleanLiteral{*truth}, expression->span) : nullptr;
    }
    case ScalarType::text:
    case ScalarType::any:
      break;
  }
  return nullptr;
}

}  // namespace tessera::sql

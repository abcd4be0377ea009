#include "sql/checked_casts.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "database/sql_error.h"
#include "frontend/sql/rewrite.h"
#include "sql/nan_functions.h"
#include "sql/number_text.h"
#include "sql/quoted_literals.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

ExpressionPtr checked(const char* function, ExpressionPtr value) {
  return make_expression(Call{Name{function, {}}, {std::move(value)}});
}

/// Returns a cast to an integer that fails for numbers that no integer holds; a number that is
/// written out is checked here. Null if the cast may stay as it is.
ExpressionPtr cast_to_integer(const ExpressionPtr& expression, const Cast& cast,
                              const PreparesOperand& prepared) {
  const auto* const text = std::get_if<StringLiteral>(&cast.operand->of);
  const auto* const number = std::get_if<NumberLiteral>(&cast.operand->of);
  if (text == nullptr && number == nullptr) {
    return make_expression(Cast{checked(kInteger, prepared(cast.operand)), cast.type},
                           expression->span);
  }
  const std::string& written = text != nullptr ? text->text : number->text;
  if (const std::optional<double> value = float_in(written); value && !fits_integer(*value)) {
    throw database::SqlError(
        database::SqlState::numeric_value_out_of_range,
        Error(ErrorKind::user, fmt::format("{} is out of the range of integers", written)),
        cast.operand->span);
  }
  return nullptr;
}

}  // namespace

ExpressionPtr with_checked_cast(const ExpressionPtr& expression, const Scope& scope,
                                const TypeOfValue& type_of_value, const PreparesOperand& prepared) {
  const auto* const cast = std::get_if<Cast>(&expression->of);
  if (cast == nullptr || !cast->type.extents.empty()) {
    return nullptr;
  }
  const std::string& to = cast->type.name.text;
  const std::optional<ScalarType> type = scalar_type_of(cast->operand, scope, type_of_value);
  const std::optional<ScalarType> target = database::parse_scalar_type(to);
  if (target == ScalarType::integer && (type == ScalarType::real || type == ScalarType::text)) {
    return cast_to_integer(expression, *cast, prepared);
  }
  if (type != ScalarType::text || is_quoted(cast->operand)) {
    return nullptr;
  }
  return to == "float4" || to == "float8" ? checked("float_of", prepared(cast->operand))
         : target == ScalarType::boolean  ? checked("truth_of", prepared(cast->operand))
                                          : nullptr;
}

}  // namespace tessera::sql

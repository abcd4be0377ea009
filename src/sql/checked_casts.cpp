#include "sql/checked_casts.h"

#include <optional>
#include <string>
#include <utility>

#include "frontend/sql/rewrite.h"
#include "sql/quoted_literals.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

ExpressionPtr checked(const char* function, ExpressionPtr value) {
  return make_expression(Call{Name{function, {}}, {std::move(value)}});
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
  if (type != ScalarType::text || is_quoted(cast->operand)) {
    return nullptr;
  }
  return to == "float4" || to == "float8" ? checked("float_of", prepared(cast->operand))
         : target == ScalarType::boolean  ? checked("truth_of", prepared(cast->operand))
                                          : nullptr;
}

}  // namespace tessera::sql

#include "sql/scalar_types.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "sql/nan_functions.h"
#include "sql/quoted_literals.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

using Type = std::optional<ScalarType>;

bool is_number(Type type) {
  return type == ScalarType::integer || type == ScalarType::real;
}

/// The type of a quoted literal as a value of a type; nothing if it says no such value.
Type type_of_literal(const ExpressionPtr& literal, ScalarType type) {
  if (type == ScalarType::text) {
    return type;
  }
  const ExpressionPtr value = literal_of_type(literal, type);
  return value ? scalar_type_of(value, Scope()) : std::nullopt;
}

/// Finds types in one scope.
class Types {
 public:
  Types(const Scope& scope, const TypeOfValue& type_of_value)
      : scope_(scope), type_of_value_(type_of_value) {}

  Type of(const ExpressionPtr& expression) const {
    return std::visit(
        Overload{[](const BooleanLiteral&) -> Type { return ScalarType::boolean; },
                 [](const NumberLiteral& node) -> Type {
                   return node.is_integer ? ScalarType::integer : ScalarType::real;
                 },
                 [](const StringLiteral&) -> Type { return ScalarType::text; },
                 [&](const ColumnReference& node) -> Type { return scope_.find_scalar(node); },
                 [&](const Operation& node) { return of_operation(node); },
                 [](const Among<Logical, Test, Between, Like, In, Exists> auto&) -> Type {
                   return ScalarType::boolean;
                 },
                 [&](const Case& node) { return of_case(node); },
                 [](const Cast& node) -> Type {
                   return node.type.extents.empty()
                              ? database::parse_scalar_type(node.type.name.text)
                              : std::nullopt;
                 },
                 [&](const Call& node) { return of_call(node); },
                 [&](const ScalarQuery& node) -> Type {
                   return type_of_value_ ? type_of_value_(node.query) : std::nullopt;
                 },
                 [](const auto&) -> Type { return std::nullopt; }},
        expression->of);
  }

 private:
  /// The type that all of these have.
  Type common(const std::vector<ExpressionPtr>& expressions) const {
    std::vector<TypedValue> values;
    for (const ExpressionPtr& expression : expressions) {
      if (expression) {
        values.push_back({expression, of(expression)});
      }
    }
    return common_type(values);
  }

  Type of_operation(const Operation& node) const {
    static const std::set<std::string> arithmetic{"+", "-", "*", "/"};
    static const std::set<std::string> of_bits{"&", "|", "<<", ">>", "~", "%"};
    if (arithmetic.count(node.symbol) == 0) {
      return of_bits.count(node.symbol) != 0 ? Type(ScalarType::integer)
             : node.symbol == "||"           ? Type(ScalarType::text)
                                             : Type(ScalarType::boolean);
    }
    std::vector<Type> types;  // each asked for once, as operations are long chains
    for (const ExpressionPtr& operand : node.operands) {
      types.push_back(of(operand));
    }
    for (size_t place = 0; types.size() == 2 && place < 2; ++place) {
      if (is_quoted(node.operands[place]) && is_number(types[1 - place])) {
        types[place] = type_of_literal(node.operands[place], *types[1 - place]);
      }
    }
    if (const auto num_dates = std::count(types.begin(), types.end(), ScalarType::date)) {
      return num_dates == 2 ? ScalarType::integer : ScalarType::date;
    }
    if (!std::all_of(types.begin(), types.end(), is_number)) {
      return std::nullopt;
    }
    const bool is_real = std::count(types.begin(), types.end(), ScalarType::real) > 0;
    return is_real ? ScalarType::real : ScalarType::integer;
  }

  Type of_case(const Case& node) const {
    std::vector<ExpressionPtr> results{node.otherwise};
    for (const Case::Branch& branch : node.branches) {
      results.push_back(branch.result);
    }
    return common(results);
  }

  Type of_call(const Call& node) const {
    static const std::set<std::string> integers{"count",       "length", "row_number",
                                                "rank",        "instr",  "dense_rank",
                                                "char_length", "ntile",  "unicode"};
    static const std::set<std::string> reals{"avg", "total", "percent_rank", "cume_dist",
                                             "float_of"};
    static const std::set<std::string> reals_of_numbers{
        "sqrt",  "exp",   "ln",   "log",  "log10",   "log2",  "sin",   "cos",
        "tan",   "asin",  "acos", "atan", "sinh",    "cosh",  "tanh",  "asinh",
        "acosh", "atanh", "pow",  "mod",  "radians", "power", "atan2", "degrees"};
    static const std::set<std::string> texts{"lower", "upper", "trim", "substr", "replace"};
    static const std::set<std::string> same{"sum",       "min",    "max",         "abs",
                                            "coalesce",  "nullif", "lag",         "lead",
                                            "greatest",  "least",  "first_value", "last_value",
                                            "nth_value", "likely", "unlikely",    "likelihood"};
    const std::string& name = node.function.text;
    if (name == "current_date" || name == "date" || name == "date_plus") {
      return ScalarType::date;
    }
    if (reals_of_numbers.count(name) != 0) {  // of tensors they are tensors
      return std::all_of(node.arguments.begin(), node.arguments.end(),
                         [&](const ExpressionPtr& argument) { return is_number(of(argument)); })
                 ? Type(ScalarType::real)
                 : std::nullopt;
    }
    if (same.count(name) == 0 || node.arguments.empty()) {
      return integers.count(name) != 0      ? Type(ScalarType::integer)
             : reals.count(name) != 0       ? Type(ScalarType::real)
             : name.starts_with(kNanPrefix) ? Type(ScalarType::real)
             : name == "truth_of"           ? Type(ScalarType::boolean)
             : texts.count(name) != 0       ? Type(ScalarType::text)
                                            : Type();
    }
    const bool is_of_first =
        node.over || name == "nullif" || name == "sum" || name == "abs" || name == "likelihood";
    return is_of_first ? of(node.arguments.front()) : common(node.arguments);
  }

  const Scope& scope_;
  const TypeOfValue& type_of_value_;
};

}  // namespace

Type common_type(const std::vector<TypedValue>& values) {
  Type type;
  bool has_quoted = false;
  for (const TypedValue& value : values) {
    if (value.expression && is_quoted(value.expression)) {
      has_quoted = true;
    } else if (!value.expression || !std::holds_alternative<NullLiteral>(value.expression->of)) {
      if (!value.type || (type && type != value.type)) {
        return std::nullopt;
      }
      type = value.type;
    }
  }
  if (!type) {
    return has_quoted ? Type(ScalarType::text) : std::nullopt;
  }
  const bool takes_type = std::all_of(values.begin(), values.end(), [&](const TypedValue& value) {
    return !value.expression || !is_quoted(value.expression) ||
           type_of_literal(value.expression, *type) == type;
  });
  return takes_type ? type : std::nullopt;
}

Type scalar_type_of(const ExpressionPtr& expression, const Scope& scope,
                    const TypeOfValue& type_of_value) {
  return Types(scope, type_of_value).of(expression);
}

std::optional<database::ScalarType> type_of_number(DType dtype) {
  return dtype == DType::b1  ? std::optional(database::ScalarType::boolean)
         : is_integer(dtype) ? std::optional(database::ScalarType::integer)
         : is_float(dtype)   ? std::optional(database::ScalarType::real)
                             : std::nullopt;
}

}  // namespace tessera::sql

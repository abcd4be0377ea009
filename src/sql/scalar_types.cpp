#include "sql/scalar_types.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/overload.h"
#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

using Type = std::optional<ScalarType>;

bool is_number(Type type) {
  return type == ScalarType::integer || type == ScalarType::real;
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
  /// What all of these have; NULL is of any type.
  Type common(const std::vector<ExpressionPtr>& expressions) const {
    Type type;
    for (const ExpressionPtr& expression : expressions) {
      if (!expression || std::holds_alternative<NullLiteral>(expression->of)) {
        continue;
      }
      const Type own = of(expression);
      if (!own || (type && type != own)) {
        return std::nullopt;
      }
      type = own;
    }
    return type;
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
    static const std::set<std::string> reals{"avg", "total", "percent_rank", "cume_dist"};
    static const std::set<std::string> texts{"lower", "upper", "trim", "substr", "replace"};
    static const std::set<std::string> same{"sum",       "min",    "max",         "abs",
                                            "coalesce",  "nullif", "lag",         "lead",
                                            "greatest",  "least",  "first_value", "last_value",
                                            "nth_value", "likely", "unlikely",    "likelihood"};
    const std::string& name = node.function.text;
    if (name == "current_date" || name == "date" || name == "date_plus") {
      return ScalarType::date;
    }
    if (same.count(name) == 0 || node.arguments.empty()) {
      return integers.count(name) != 0 ? Type(ScalarType::integer)
             : reals.count(name) != 0  ? Type(ScalarType::real)
             : texts.count(name) != 0  ? Type(ScalarType::text)
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

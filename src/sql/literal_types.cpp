#include "sql/literal_types.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "sql/quoted_literals.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

/// Operands that have one type.
struct Meeting {
  enum class Kind : uint8_t { comparison, arithmetic, results } kind;
  std::vector<ExpressionPtr*> operands;
  std::string place = "";  // of results, in words
};

std::string plural(ScalarType type) {
  return type == ScalarType::text      ? "texts"
         : type == ScalarType::boolean ? "truth values"
                                       : "numbers";
}

/// Finds what meets in a node, which is a copy to be changed.
class Meetings {
 public:
  explicit Meetings(Expression& expression) {
    std::visit([this](auto& node) { find(node); }, expression.of);
  }
  std::vector<Meeting> take() { return std::move(found_); }

 private:
  using Kind = Meeting::Kind;

  void add(Kind kind, std::vector<ExpressionPtr*> operands, std::string place = "") {
    operands.erase(std::remove_if(operands.begin(), operands.end(),
                                  [](const ExpressionPtr* operand) { return *operand == nullptr; }),
                   operands.end());
    found_.push_back({kind, std::move(operands), std::move(place)});
  }

  void find(Operation& node) {
    static const std::set<std::string> comparisons{"=", "<>", "<", "<=", ">", ">="};
    static const std::set<std::string> arithmetic{"+", "-", "*", "/", "%"};
    if (node.operands.size() == 2 && comparisons.count(node.symbol) != 0) {
      add(Kind::comparison, {&node.operands[0], &node.operands[1]});
    } else if (node.operands.size() == 2 && arithmetic.count(node.symbol) != 0) {
      add(Kind::arithmetic, {&node.operands[0], &node.operands[1]});
    }
  }
  void find(Between& node) { add(Kind::comparison, {&node.operand, &node.low, &node.high}); }
  void find(Test& node) {
    if (node.kind == Test::Kind::distinct) {
      add(Kind::comparison, {&node.operand, &node.other});
    }
  }
  void find(In& node) {
    std::vector<ExpressionPtr*> operands{&node.operand};
    for (ExpressionPtr& element : node.elements) {
      operands.push_back(&element);
    }
    add(Kind::comparison, std::move(operands));
  }
  void find(Case& node) {
    std::vector<ExpressionPtr*> compared{&node.operand};
    std::vector<ExpressionPtr*> results{&node.otherwise};
    for (Case::Branch& branch : node.branches) {
      compared.push_back(&branch.condition);
      results.push_back(&branch.result);
    }
    if (node.operand) {
      add(Kind::comparison, std::move(compared));
    }
    add(Kind::results, std::move(results), "CASE");
  }
  void find(Call& node) {
    static const std::set<std::string> of_one_type{"coalesce", "greatest", "least", "max", "min"};
    const std::string& name = node.function.text;
    std::vector<ExpressionPtr>& arguments = node.arguments;
    if (of_one_type.count(name) != 0) {
      std::vector<ExpressionPtr*> all;
      for (ExpressionPtr& argument : arguments) {
        all.push_back(&argument);
      }
      add(Kind::results, std::move(all), name);
    } else if (name == "nullif" && arguments.size() == 2) {
      add(Kind::comparison, {&arguments[0], &arguments[1]});
    } else if ((name == "lag" || name == "lead") && arguments.size() == 3) {
      add(Kind::results, {&arguments[0], &arguments[2]}, name);
    }
  }
  template <class Node>
  void find(const Node&) {}

  std::vector<Meeting> found_;
};

/// Refuses a value that is compared with a date and is none. A text may say a date.
void check_compared(const std::vector<TypedValue>& values) {
  for (const TypedValue& value : values) {
    if (value.type && *value.type != ScalarType::date && *value.type != ScalarType::text &&
        *value.type != ScalarType::any) {
      at(value.expression->span, [&] {
        throw_error(ErrorKind::user,
                    "a date is compared with a {}; compare it with a date, such as "
                    "'2026-11-25'",
                    *value.type == ScalarType::boolean ? "truth value" : "number");
      });
    }
  }
}

/// The query behind IN gives one more value that the operand meets.
void add_values_of_query(const Expression& expression, const TypeOfValue& type_of_value,
                         std::vector<TypedValue>& values) {
  const auto* const in = std::get_if<In>(&expression.of);
  if (in != nullptr && in->query && type_of_value && values.front().type) {
    const SourceSpan span =
        in->query->span.begin < in->query->span.end ? in->query->span : in->operand->span;
    values.push_back({make_expression(ScalarQuery{in->query}, span), type_of_value(in->query)});
  }
}

}  // namespace

std::optional<ScalarType> met_type(const std::vector<TypedValue>& values) {
  constexpr std::array kTypes{ScalarType::date, ScalarType::real, ScalarType::integer,
                              ScalarType::boolean};
  for (const ScalarType type : kTypes) {
    for (const TypedValue& value : values) {
      if (value.type == type) {
        return type;
      }
    }
  }
  return std::nullopt;
}

void check_dates(const std::vector<TypedValue>& values, const std::string& place) {
  for (const TypedValue& value : values) {
    const bool takes_type = value.expression && is_quoted(value.expression);
    if (value.type && !takes_type && *value.type != ScalarType::date &&
        *value.type != ScalarType::any) {
      at(value.expression ? value.expression->span : SourceSpan{}, [&] {
        throw_error(ErrorKind::user,
                    "{} has dates and {}, where all are to have one type; cast these, or the dates "
                    "with ::text",
                    place, plural(*value.type));
      });
    }
  }
}

ExpressionPtr with_literal_types(const ExpressionPtr& expression, const Scope& scope,
                                 const TypeOfValue& type_of_value) {
  auto copy = std::make_shared<Expression>(*expression);
  bool changes = false;
  for (const Meeting& meeting : Meetings(*copy).take()) {
    const bool is_arithmetic = meeting.kind == Meeting::Kind::arithmetic;
    if (is_arithmetic && std::none_of(meeting.operands.begin(), meeting.operands.end(),
                                      [](const auto* operand) { return is_quoted(*operand); })) {
      continue;  // types of long chains are not looked for
    }
    std::vector<TypedValue> values;
    for (const ExpressionPtr* const operand : meeting.operands) {
      values.push_back({*operand, scalar_type_of(*operand, scope, type_of_value)});
    }
    add_values_of_query(*copy, type_of_value, values);
    const std::optional<ScalarType> type = met_type(values);
    if (!type || (type == ScalarType::date && is_arithmetic)) {
      continue;  // a date and a number may be added
    }
    if (type == ScalarType::date) {
      meeting.kind == Meeting::Kind::comparison ? check_compared(values)
                                                : check_dates(values, meeting.place);
    }
    for (ExpressionPtr* const operand : meeting.operands) {
      if (ExpressionPtr literal = literal_of_type(*operand, *type)) {
        *operand = std::move(literal);
        changes = true;
      }
    }
  }
  return changes ? copy : nullptr;
}

}  // namespace tessera::sql

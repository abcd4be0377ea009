#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/sqlite/writer.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::frontend::sql::sqlite {

namespace {

Precedence tighter(Precedence precedence) {
  return static_cast<Precedence>(static_cast<uint8_t>(precedence) + 1);
}

Precedence precedence_of(const Operation& operation) {
  if (operation.operands.size() == 1) {
    return Precedence::sign;
  }
  static const std::map<std::string_view, Precedence> operators = {
      {"||", Precedence::concatenation},
      {"*", Precedence::product},
      {"/", Precedence::product},
      {"%", Precedence::product},
      {"+", Precedence::sum},
      {"-", Precedence::sum},
      {"&", Precedence::bits},
      {"|", Precedence::bits},
      {"<<", Precedence::bits},
      {">>", Precedence::bits},
      {"<", Precedence::comparison},
      {"<=", Precedence::comparison},
      {">", Precedence::comparison},
      {">=", Precedence::comparison},
      {"=", Precedence::equality},
      {"<>", Precedence::equality}};
  return operators.at(operation.symbol);
}

Precedence precedence_of(const Logical& logical) {
  switch (logical.kind) {
    case Logical::Kind::any:
      return Precedence::any;
    case Logical::Kind::all:
      return Precedence::all;
    case Logical::Kind::negation:
      break;
  }
  return Precedence::negation;
}

Precedence precedence_of(const Expression& expression) {
  return std::visit(
      Overload{[](const Operation& operation) { return precedence_of(operation); },
               [](const Logical& logical) { return precedence_of(logical); },
               [](const Among<Test, Between, Like, In> auto&) { return Precedence::equality; },
               [](const Among<NullLiteral, BooleanLiteral, NumberLiteral, StringLiteral,
                              ColumnReference, Star, Exists, ScalarQuery, Case, Cast, Call,
                              ArrayLiteral, Element, Row> auto&) { return Precedence::value; }},
      expression.of);
}

std::string operation(const Operation& operation) {
  const Precedence own = precedence_of(operation);
  if (operation.operands.size() == 1) {
    // Two signs in a row would be a comment.
    return operation.symbol + text(*operation.operands[0], Precedence::value);
  }
  // Comparisons of comparisons get parentheses on both sides: PostgreSQL gives them no order.
  const bool is_comparison = own <= Precedence::comparison;
  return fmt::format("{} {} {}",
                     text(*operation.operands[0], is_comparison ? Precedence::bits : own),
                     operation.symbol,
                     text(*operation.operands[1], is_comparison ? Precedence::bits : tighter(own)));
}

std::string logical(const Logical& logical) {
  if (logical.kind == Logical::Kind::negation) {
    return "NOT " + text(*logical.operands[0], Precedence::negation);
  }
  const bool is_all = logical.kind == Logical::Kind::all;
  const Precedence least = tighter(is_all ? Precedence::all : Precedence::any);
  std::string joined;
  for (const ExpressionPtr& operand : logical.operands) {
    joined += (joined.empty() ? "" : is_all ? " AND " : " OR ") + text(*operand, least);
  }
  return joined;
}

/// Writes an operand of a comparison; all comparisons bind alike.
std::string side(const ExpressionPtr& expression) {
  return text(*expression, Precedence::bits);
}

/// Writes an operand compared with TRUE: `IS TRUE` tests for truth, so the number of TRUE is used.
std::string compared(const ExpressionPtr& expression) {
  const auto* literal = std::get_if<BooleanLiteral>(&expression->of);
  return literal == nullptr ? side(expression) : literal->value ? "1" : "0";
}

std::string test(const Test& test) {
  const std::string_view is = test.is_negated ? "IS NOT" : "IS";
  switch (test.kind) {
    case Test::Kind::null:
    case Test::Kind::unknown:
      return fmt::format("{} {} NULL", side(test.operand), is);
    case Test::Kind::true_:
      return fmt::format("{} {} TRUE", side(test.operand), is);
    case Test::Kind::false_:
      return fmt::format("{} {} FALSE", side(test.operand), is);
    case Test::Kind::distinct:
      break;
  }
  // With a plus, a column has no type that the other side would be converted to.
  return fmt::format("{} {} {}{}", side(test.operand), test.is_negated ? "IS" : "IS NOT",
                     test.is_of_stored ? "+" : "", compared(test.other));
}

std::string between(const Between& between) {
  return fmt::format("{} {}BETWEEN {} AND {}", side(between.operand),
                     between.is_negated ? "NOT " : "", side(between.low), side(between.high));
}

std::string like(const Like& like) {
  // SQLite has no escape character by default.
  const auto* const literal = std::get_if<StringLiteral>(&like.pattern->of);
  const bool has_no_escape = literal != nullptr && literal->text.find('\\') == std::string::npos;
  const std::string escape = like.escape != nullptr ? fmt::format(" ESCAPE {}", side(like.escape))
                             : has_no_escape        ? ""
                                                    : " ESCAPE '\\'";
  return fmt::format("{} {}LIKE {}{}", side(like.operand), like.is_negated ? "NOT " : "",
                     side(like.pattern), escape);
}

/// Writes the elements of IN; SQLite expects VALUES for rows.
std::string elements_of(const In& in) {
  if (in.query != nullptr) {
    return select(*in.query);
  }
  const bool is_of_rows = std::holds_alternative<Row>(in.operand->of);
  return (is_of_rows ? "VALUES " : "") + list(in.elements);
}

std::string in(const In& in) {
  return fmt::format("{} {}IN ({})", side(in.operand), in.is_negated ? "NOT " : "",
                     elements_of(in));
}

std::string case_of(const Case& found) {
  std::string written = "CASE";
  if (found.operand != nullptr) {
    written += " " + text(*found.operand);
  }
  for (const Case::Branch& branch : found.branches) {
    written += fmt::format(" WHEN {} THEN {}", text(*branch.condition), text(*branch.result));
  }
  if (found.otherwise != nullptr) {
    written += " ELSE " + text(*found.otherwise);
  }
  return written + " END";
}

std::string qualified(const std::optional<Name>& table, const std::string& what) {
  return (table ? sqlite_name(table->text) + "." : "") + what;
}

[[noreturn]] std::string refuse_for_sqlite(std::string_view what) {
  throw_error(ErrorKind::unsupported, "{} among scalars", what);
}

}  // namespace

std::string list(const std::vector<ExpressionPtr>& expressions) {
  std::string joined;
  for (const ExpressionPtr& expression : expressions) {
    joined += (joined.empty() ? "" : ", ") + text(*expression);
  }
  return joined;
}

std::string text(const Expression& expression, Precedence least) {
  const std::string written = text(expression);
  return precedence_of(expression) < least ? "(" + written + ")" : written;
}

namespace {

std::string text_of_kind(const Expression& expression) {
  return std::visit(
      Overload{
          [](const NullLiteral&) -> std::string { return "NULL"; },
          [](const BooleanLiteral& literal) -> std::string {
            return literal.value ? "TRUE" : "FALSE";
          },
          [](const NumberLiteral& literal) { return literal.text; },
          [](const StringLiteral& literal) { return text_literal(literal.text); },
          [](const ColumnReference& column) {
            return qualified(column.table, sqlite_name(column.column.text));
          },
          [](const Star& star) { return qualified(star.table, "*"); },
          [](const Operation& found) { return operation(found); },
          [](const Logical& found) { return logical(found); },
          [](const Test& found) { return test(found); },
          [](const Between& found) { return between(found); },
          [](const Like& found) { return like(found); },
          [](const In& found) { return in(found); },
          [](const Exists& exists) { return fmt::format("EXISTS ({})", select(*exists.query)); },
          [](const ScalarQuery& scalar) { return fmt::format("({})", select(*scalar.query)); },
          [](const Case& found) { return case_of(found); },
          [](const Cast& found) { return cast(found); },
          [](const Call& found) { return call(found); },
          [](const ArrayLiteral&) { return refuse_for_sqlite("an array"); },
          [](const Element&) { return refuse_for_sqlite("an element of a tensor"); },
          [](const Row& row) { return fmt::format("({})", list(row.elements)); }},
      expression.of);
}

}  // namespace

std::string text(const Expression& expression) {
  return at_place(expression.span, [&] { return text_of_kind(expression); });
}

}  // namespace tessera::frontend::sql::sqlite

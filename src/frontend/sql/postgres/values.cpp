#include <charconv>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/array_literal.h"
#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

/// The magnitude of the least number of 64 bits, which has no positive counterpart.
constexpr std::string_view kLeastMagnitude = "9223372036854775808";

bool is_integer_text(std::string_view text, bool is_negative) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return (error == std::errc() && end == text.data() + text.size()) ||
         (is_negative && text == kLeastMagnitude);
}

/// Converts a number with the signs before it, which PostgreSQL has folded into it.
ExpressionPtr number(const Reading& reading, const PgQuery__AConst& node, bool is_negative) {
  const size_t first = reading.token(node.location);
  size_t token = first;
  while (token + 1 < reading.statement.last && reading.tokens[token].kind != Token::Kind::number) {
    ++token;
  }
  const std::string text(reading.tokens.text(token));
  const SourceSpan digits = reading.place(token);
  ExpressionPtr magnitude =
      make_expression(digits, NumberLiteral{text, is_integer_text(text, is_negative)});
  if (!is_negative) {
    return magnitude;
  }
  const SourceSpan whole = reading.tokens.balanced(hull(reading.place(first), digits));
  return make_expression(whole, Operation{"-", {magnitude}});
}

std::string modifier(const PgQuery__Node& node, SourceSpan near) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
      if (node.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL) {
        return std::to_string(node.a_const->ival->ival);
      }
      if (node.a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL) {
        return node.a_const->sval->sval;
      }
      break;
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      if (node.column_ref->n_fields == 1 &&
          node.column_ref->fields[0]->node_case == PG_QUERY__NODE__NODE_STRING) {
        return string_of(*node.column_ref->fields[0]);
      }
      break;
    default:
      break;
  }
  refuse(near, "this in the parentheses of a type");
}

/// True if a word continues a type's name: `double precision`, `timestamp with time zone`.
bool continues_type(const Tokens& tokens, size_t index) {
  for (const char* word :
       {"precision", "varying", "with", "without", "time", "zone", "character", "char"}) {
    if (tokens.is(index, word)) {
      return true;
    }
  }
  return false;
}

/// Converts `'{{1,2},{3,4}}'::matrix[2][2]`: a text that is an array in place of a tensor.
ExpressionPtr as_array(const ExpressionPtr& expression, const TypeName& type) {
  const auto* const text = std::get_if<StringLiteral>(&expression->of);
  if (text == nullptr || !is_array_type(type)) {
    return expression;
  }
  try {
    return array_expression(parse_array(text->text), expression->span);
  } catch (const Error& error) {
    fail(expression->span, error.message());
  }
}

}  // namespace

ExpressionPtr constant(const Reading& reading, const PgQuery__AConst& node) {
  const SourceSpan span = reading.span(node.location);
  if (node.isnull) {
    return make_expression(span, NullLiteral{});
  }
  switch (node.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      return number(reading, node, node.ival->ival < 0);
    case PG_QUERY__A__CONST__VAL_FVAL:
      return number(reading, node, node.fval->fval[0] == '-');
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
      return make_expression(span, BooleanLiteral{node.boolval->boolval != 0});
    case PG_QUERY__A__CONST__VAL_SVAL:
      return make_expression(span, StringLiteral{node.sval->sval});
    default:
      refuse(span, "a string of bits");
  }
}

ExpressionPtr column(const Reading& reading, const PgQuery__ColumnRef& node) {
  const size_t first = reading.token(node.location);
  const SourceSpan begin = reading.place(first);
  if (node.n_fields > 2) {
    refuse(begin, "a name of more than two parts");
  }
  const auto name_at = [&](size_t field) {
    return Name{string_of(*node.fields[field]), reading.place(first + 2 * field)};
  };
  std::optional<Name> table;
  if (node.n_fields == 2) {
    table = name_at(0);
  }
  const size_t last = node.n_fields - 1;
  if (node.fields[last]->node_case == PG_QUERY__NODE__NODE_A_STAR) {
    return make_expression(hull(begin, reading.place(first + 2 * last)), Star{std::move(table)});
  }
  const Name name = name_at(last);
  return make_expression(hull(begin, name.span), ColumnReference{std::move(table), name});
}

SourceSpan type_span(const Reading& reading, const PgQuery__TypeName& node) {
  const Tokens& tokens = reading.tokens;
  size_t token = reading.token(node.location);
  SourceSpan span = reading.place(token);
  const auto take = [&] { span = hull(span, reading.place(token)); };
  while (tokens.is(token + 1, ".") || continues_type(tokens, token + 1)) {
    token += tokens.is(token + 1, ".") ? 2 : 1;
    take();
  }
  while (tokens.is(token + 1, "(") || tokens.is(token + 1, "[")) {
    if (tokens.match(token + 1) == Tokens::kNone) {
      break;
    }
    token = tokens.match(token + 1);
    take();
  }
  return span;
}

TypeName to_type(const Reading& reading, const PgQuery__TypeName& node) {
  const SourceSpan span = type_span(reading, node);
  refuse_fields_but(reading, node.base, span, {"names", "typmods", "typemod", "array_bounds"});
  TypeName type;
  const std::string name = dotted(node.names, node.n_names);
  constexpr std::string_view kSystem = "pg_catalog.";
  type.name = {name.starts_with(kSystem) ? name.substr(kSystem.size()) : name,
               reading.span(node.location)};
  if (type.name.text.find('.') != std::string::npos) {
    refuse(span, "a schema before a name");
  }
  for (size_t index = 0; index < node.n_typmods; ++index) {
    type.modifiers.push_back(modifier(*node.typmods[index], span));
  }
  for (size_t index = 0; index < node.n_array_bounds; ++index) {
    const int64_t bound = node.array_bounds[index]->integer->ival;
    type.extents.push_back(bound < 0 ? std::nullopt : std::optional<int64_t>(bound));
  }
  return type;
}

ExpressionPtr cast(const Reading& reading, const PgQuery__TypeCast& node) {
  const TypeName type = to_type(reading, *node.type_name);
  const ExpressionPtr operand = as_array(to_expression(reading, *node.arg), type);
  SourceSpan span = hull(operand->span, type_span(reading, *node.type_name));
  if (node.location >= 0) {
    const size_t token = reading.token(node.location);
    span = hull(span, reading.place(token));
    if (reading.tokens.is(token, "cast")) {
      span = reading.through_bracket(span, token + 1);
    }
  }
  return make_expression(reading.tokens.balanced(span), Cast{operand, type});
}

}  // namespace tessera::frontend::sql

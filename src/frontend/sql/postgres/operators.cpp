#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

constexpr std::array<std::string_view, 16> kBinary = {"+", "-",  "*", "/",  "%", "||", "=",  "<>",
                                                      "<", "<=", ">", ">=", "&", "|",  "<<", ">>"};
constexpr std::array<std::string_view, 3> kUnary = {"-", "+", "~"};

/// The operands of an operator and their span, from the begin of the first to the end of the last.
struct Sides {
  ExpressionPtr left, right;
  SourceSpan span;
};

Sides sides_of(const Reading& reading, const PgQuery__AExpr& node) {
  Sides sides{to_expression(reading, *node.lexpr), to_expression(reading, *node.rexpr), {}};
  sides.span = reading.tokens.balanced(hull(sides.left->span, sides.right->span));
  return sides;
}

std::string help_for(std::string_view symbol) {
  if (symbol == "^") {
    return "write power(a, b)";
  }
  return symbol.find('~') != std::string_view::npos ? "write LIKE" : "";
}

ExpressionPtr plain_operation(const Reading& reading, const PgQuery__AExpr& node) {
  const std::string symbol = dotted(node.name, node.n_name);
  const SourceSpan place = reading.span(node.location);
  const auto is_known = [&](const auto& symbols) {
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
  };
  if (node.lexpr == nullptr) {
    if (!is_known(kUnary)) {
      refuse(place, fmt::format("the operator {} before a value", symbol));
    }
    const ExpressionPtr operand = to_expression(reading, *node.rexpr);
    return make_expression(reading.tokens.balanced(hull(place, operand->span)),
                           Operation{symbol, {operand}});
  }
  if (!is_known(kBinary)) {
    refuse(place, fmt::format("the operator {}", symbol), help_for(symbol));
  }
  const Sides sides = sides_of(reading, node);
  return make_expression(sides.span, Operation{symbol, {sides.left, sides.right}});
}

ExpressionPtr in_list(const Reading& reading, const PgQuery__AExpr& node) {
  const ExpressionPtr operand = to_expression(reading, *node.lexpr);
  const PgQuery__List& list = *node.rexpr->list;
  SourceSpan span = operand->span;
  const std::vector<ExpressionPtr> elements = to_expressions(reading, list.items, list.n_items);
  for (const ExpressionPtr& element : elements) {
    span = hull(span, element->span);
  }
  span = reading.through_bracket(span, reading.behind(operand->span) + 1);
  const bool is_negated = dotted(node.name, node.n_name) == "<>";
  return make_expression(reading.tokens.balanced(span), In{is_negated, operand, elements, nullptr});
}

/// Converts `a = ANY (ARRAY[b, c])` to IN, `a <> ALL (ARRAY[b, c])` to NOT IN.
ExpressionPtr among_array(const Reading& reading, const PgQuery__AExpr& node) {
  const bool is_any = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
  const bool is_in = dotted(node.name, node.n_name) == (is_any ? "=" : "<>");
  if (!is_in || node.rexpr->node_case != PG_QUERY__NODE__NODE_A_ARRAY_EXPR ||
      node.rexpr->a_array_expr->n_elements == 0) {
    refuse(reading.span(node.location), "this comparison with ANY or ALL of an array",
           "write = ANY (ARRAY[...]) or <> ALL (ARRAY[...])");
  }
  const ExpressionPtr operand = to_expression(reading, *node.lexpr);
  const ExpressionPtr array = to_expression(reading, *node.rexpr);
  const SourceSpan span =
      reading.through_bracket(hull(operand->span, array->span), reading.behind(operand->span) + 2);
  return make_expression(reading.tokens.balanced(span),
                         In{!is_any, operand, std::get<ArrayLiteral>(array->of).elements, nullptr});
}

/// Returns the call of PostgreSQL's own function for the text after ESCAPE; null if the node is
/// none.
const PgQuery__FuncCall* escape_in(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) {
    return nullptr;
  }
  const PgQuery__FuncCall& call = *node.func_call;
  const bool is_escape = call.n_args == 2 && call.n_funcname == 2 &&
                         dotted(call.funcname, call.n_funcname) == "pg_catalog.like_escape";
  return is_escape ? &call : nullptr;
}

/// Returns an operand of ILIKE in lower case. SQLite's LIKE ignores case by default; comparing
/// lower cases is right either way.
ExpressionPtr in_lower_case(const ExpressionPtr& operand) {
  return make_expression(operand->span, Call{{"lower", operand->span}, {operand}});
}

ExpressionPtr like(const Reading& reading, const PgQuery__AExpr& node) {
  Like like{dotted(node.name, node.n_name).starts_with("!"), to_expression(reading, *node.lexpr),
            nullptr, nullptr};
  const PgQuery__FuncCall* escape = escape_in(*node.rexpr);
  like.pattern = to_expression(reading, escape ? *escape->args[0] : *node.rexpr);
  SourceSpan span = hull(like.operand->span, like.pattern->span);
  if (escape != nullptr) {
    like.escape = to_expression(reading, *escape->args[1]);
    span = hull(span, like.escape->span);
  }
  if (node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE) {
    like.operand = in_lower_case(like.operand);
    like.pattern = in_lower_case(like.pattern);
  }
  return make_expression(reading.tokens.balanced(span), like);
}

ExpressionPtr between(const Reading& reading, const PgQuery__AExpr& node) {
  const PgQuery__List& bounds = *node.rexpr->list;
  const Between between{
      node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN, to_expression(reading, *node.lexpr),
      to_expression(reading, *bounds.items[0]), to_expression(reading, *bounds.items[1])};
  return make_expression(reading.tokens.balanced(hull(between.operand->span, between.high->span)),
                         between);
}

/// Converts BETWEEN SYMMETRIC, which takes its bounds in either order.
ExpressionPtr between_either(const Reading& reading, const PgQuery__AExpr& node) {
  const bool is_negated = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
  const PgQuery__List& bounds = *node.rexpr->list;
  const ExpressionPtr operand = to_expression(reading, *node.lexpr);
  const ExpressionPtr one = to_expression(reading, *bounds.items[0]);
  const ExpressionPtr other = to_expression(reading, *bounds.items[1]);
  const SourceSpan span = reading.tokens.balanced(hull(operand->span, other->span));
  return make_expression(
      span, Logical{is_negated ? Logical::Kind::all : Logical::Kind::any,
                    {make_expression(span, Between{is_negated, operand, one, other}),
                     make_expression(span, Between{is_negated, operand, other, one})}});
}

ExpressionPtr distinct(const Reading& reading, const PgQuery__AExpr& node) {
  const Sides sides = sides_of(reading, node);
  const bool is_negated = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT;
  return make_expression(sides.span,
                         Test{Test::Kind::distinct, is_negated, sides.left, sides.right});
}

ExpressionPtr null_if(const Reading& reading, const PgQuery__AExpr& node) {
  const size_t token = reading.token(node.location);
  const SourceSpan word = reading.place(token);
  return make_expression(
      reading.through_bracket(word, token + 1),
      Call{{"nullif", word},
           {to_expression(reading, *node.lexpr), to_expression(reading, *node.rexpr)}});
}

/// True for NOT IN: `a = ANY (SELECT …)` is IN, `a <> ALL (SELECT …)` is NOT IN. Other comparisons
/// with a whole query are refused.
bool is_not_in(const Reading& reading, const PgQuery__SubLink& node) {
  const std::string comparison = dotted(node.oper_name, node.n_oper_name);
  const bool is_any = node.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK;
  if (is_any ? comparison.empty() || comparison == "=" : comparison == "<>") {
    return !is_any;
  }
  refuse(reading.span(node.location), fmt::format("{} {}", comparison, is_any ? "ANY" : "ALL"),
         "compare with the min or the max of the query");
}

}  // namespace

ExpressionPtr operation(const Reading& reading, const PgQuery__AExpr& node) {
  switch (node.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
      return plain_operation(reading, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
      return in_list(reading, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
      return like(reading, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
      return between(reading, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
      return distinct(reading, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
      return null_if(reading, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
      refuse(reading.span(node.location), "SIMILAR TO", "write LIKE");
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      return between_either(reading, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
      return among_array(reading, node);
    default:
      refuse(reading.span(node.location), "this operator");
  }
}

ExpressionPtr subquery(const Reading& reading, const PgQuery__SubLink& node, bool is_negated) {
  const size_t token = reading.token(node.location);
  const SourceSpan begin = reading.place(token);
  switch (node.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK:
      return make_expression(reading.through_bracket(begin, token + 1),
                             Exists{to_query(reading, *node.subselect, begin)});
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK:
      return make_expression(reading.through_bracket(begin, token),
                             ScalarQuery{to_query(reading, *node.subselect, begin)});
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK: {
      const bool is_not = is_not_in(reading, node);
      const ExpressionPtr operand = to_expression(reading, *node.testexpr);
      const size_t opening = reading.tokens.find(token, reading.statement.last, "(");
      const SourceSpan span = reading.through_bracket(hull(operand->span, begin), opening);
      return make_expression(
          reading.tokens.balanced(span),
          In{is_not != is_negated, operand, {}, to_query(reading, *node.subselect, begin)});
    }
    case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK:
      refuse(begin, "ARRAY(SELECT ...)", "an aggregate builds a tensor from rows");
    default:
      refuse(begin, "this sub-query");
  }
}

}  // namespace tessera::frontend::sql

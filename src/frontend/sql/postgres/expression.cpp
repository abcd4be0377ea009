#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

SourceSpan hull_of(const std::vector<ExpressionPtr>& expressions) {
  SourceSpan span = expressions.front()->span;
  for (const ExpressionPtr& expression : expressions) {
    span = hull(span, expression->span);
  }
  return span;
}

/// Returns the sub-query of `a NOT IN (SELECT …)`, which comes as NOT of it, both at one place.
const PgQuery__SubLink* negated_subquery(const PgQuery__BoolExpr& node) {
  const PgQuery__Node& operand = *node.args[0];
  const bool is_one = node.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR &&
                      operand.node_case == PG_QUERY__NODE__NODE_SUB_LINK &&
                      operand.sub_link->location == node.location;
  return is_one ? operand.sub_link : nullptr;
}

ExpressionPtr logical(const Reading& reading, const PgQuery__BoolExpr& node) {
  if (const PgQuery__SubLink* query = negated_subquery(node)) {
    return subquery(reading, *query, true);
  }
  const std::vector<ExpressionPtr> operands = to_expressions(reading, node.args, node.n_args);
  SourceSpan span = hull_of(operands);
  Logical::Kind kind = Logical::Kind::all;
  if (node.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) {
    kind = Logical::Kind::negation;
    span = hull(span, reading.span(node.location));
  } else if (node.boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR) {
    kind = Logical::Kind::any;
  }
  return make_expression(reading.tokens.balanced(span), Logical{kind, operands});
}

/// Returns the span from the operand to the last word of `IS NOT NULL`, whose first is at the
/// location.
SourceSpan span_of_test(const Reading& reading, SourceSpan operand, int32_t location) {
  size_t token = reading.token(location);
  if (reading.tokens.is(token, "is")) {
    token += reading.tokens.is(token + 1, "not") ? 2 : 1;
  }
  return reading.tokens.balanced(hull(operand, reading.place(token)));
}

ExpressionPtr null_test(const Reading& reading, const PgQuery__NullTest& node) {
  const ExpressionPtr operand = to_expression(reading, *node.arg);
  const bool is_negated = node.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL;
  return make_expression(span_of_test(reading, operand->span, node.location),
                         Test{Test::Kind::null, is_negated, operand, nullptr});
}

ExpressionPtr boolean_test(const Reading& reading, const PgQuery__BooleanTest& node) {
  const auto kind_and_sign = [&]() -> std::pair<Test::Kind, bool> {
    switch (node.booltesttype) {
      case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE:
        return {Test::Kind::true_, false};
      case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE:
        return {Test::Kind::true_, true};
      case PG_QUERY__BOOL_TEST_TYPE__IS_FALSE:
        return {Test::Kind::false_, false};
      case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE:
        return {Test::Kind::false_, true};
      case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN:
        return {Test::Kind::unknown, false};
      default:
        return {Test::Kind::unknown, true};
    }
  };
  const auto [kind, is_negated] = kind_and_sign();
  const ExpressionPtr operand = to_expression(reading, *node.arg);
  return make_expression(span_of_test(reading, operand->span, node.location),
                         Test{kind, is_negated, operand, nullptr});
}

/// Returns the END of the CASE that stands at this token.
SourceSpan end_of_case(const Tokens& tokens, size_t token) {
  int64_t depth = 0;
  for (size_t index = token; index < tokens.size(); ++index) {
    depth += tokens.is(index, "case") ? 1 : 0;
    if (tokens.is(index, "end")) {
      --depth;
      if (depth == 0) {
        return tokens[index].span;
      }
    }
  }
  return tokens[token].span;
}

ExpressionPtr case_of(const Reading& reading, const PgQuery__CaseExpr& node) {
  Case found{to_optional_expression(reading, node.arg),
             {},
             to_optional_expression(reading, node.defresult)};
  for (size_t index = 0; index < node.n_args; ++index) {
    const PgQuery__CaseWhen& branch = *node.args[index]->case_when;
    found.branches.push_back(
        {to_expression(reading, *branch.expr), to_expression(reading, *branch.result)});
  }
  const size_t token = reading.token(node.location);
  return make_expression(hull(reading.place(token), end_of_case(reading.tokens, token)),
                         std::move(found));
}

/// Returns the span from a word or its bracket at the location to the end of that bracket.
SourceSpan span_of_list(const Reading& reading, int32_t location) {
  const size_t token = reading.token(location);
  const SourceSpan begin = reading.place(token);
  const bool is_word = reading.tokens.match(token) == Tokens::kNone;
  return reading.through_bracket(begin, is_word ? token + 1 : token);
}

ExpressionPtr list_call(const Reading& reading, const char* name, PgQuery__Node* const* arguments,
                        size_t count, int32_t location) {
  return make_expression(
      span_of_list(reading, location),
      Call{{name, reading.span(location)}, to_expressions(reading, arguments, count)});
}

Element::Subscript subscript(const Reading& reading, const PgQuery__Node& node, SourceSpan near) {
  if (node.node_case != PG_QUERY__NODE__NODE_A_INDICES) {
    refuse(near, "a field of a value");
  }
  const PgQuery__AIndices& indices = *node.a_indices;
  if (!indices.is_slice) {
    return {false, to_expression(reading, *indices.uidx), nullptr};
  }
  return {true, to_optional_expression(reading, indices.lidx),
          to_optional_expression(reading, indices.uidx)};
}

ExpressionPtr element(const Reading& reading, const PgQuery__AIndirection& node) {
  const ExpressionPtr operand = to_expression(reading, *node.arg);
  Element found{operand, {}};
  size_t token = reading.behind(operand->span);
  while (reading.tokens.is(token, ")")) {
    ++token;
  }
  SourceSpan span = operand->span;
  for (size_t index = 0; index < node.n_indirection; ++index) {
    found.subscripts.push_back(subscript(reading, *node.indirection[index], operand->span));
    span = reading.through_bracket(span, token);
    token = reading.behind(span);
  }
  return make_expression(reading.tokens.balanced(span), std::move(found));
}

/// Converts CURRENT_DATE and its like, without arguments.
ExpressionPtr value_function(const Reading& reading, const PgQuery__SQLValueFunction& node) {
  const size_t token = reading.token(node.location);
  const SourceSpan span = reading.place(token);
  const Name name = reading.tokens.name(token);
  switch (node.op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
      return make_expression(span, Call{name, {}});
    default:
      refuse(span, reading.tokens.text(token));
  }
}

}  // namespace

ExpressionPtr to_expression(const Reading& reading, const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
      return constant(reading, *node.a_const);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      return column(reading, *node.column_ref);
    case PG_QUERY__NODE__NODE_A_EXPR:
      return operation(reading, *node.a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      return logical(reading, *node.bool_expr);
    case PG_QUERY__NODE__NODE_NULL_TEST:
      return null_test(reading, *node.null_test);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
      return boolean_test(reading, *node.boolean_test);
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return subquery(reading, *node.sub_link, false);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
      return case_of(reading, *node.case_expr);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
      return cast(reading, *node.type_cast);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return function_call(reading, *node.func_call);
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
      return element(reading, *node.a_indirection);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
      return value_function(reading, *node.sqlvalue_function);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
      return list_call(reading, "coalesce", node.coalesce_expr->args, node.coalesce_expr->n_args,
                       node.coalesce_expr->location);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
      const PgQuery__MinMaxExpr& call = *node.min_max_expr;
      const bool is_greatest = call.op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
      return list_call(reading, is_greatest ? "greatest" : "least", call.args, call.n_args,
                       call.location);
    }
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR: {
      const PgQuery__AArrayExpr& array = *node.a_array_expr;
      return make_expression(
          span_of_list(reading, array.location),
          ArrayLiteral{to_expressions(reading, array.elements, array.n_elements)});
    }
    case PG_QUERY__NODE__NODE_ROW_EXPR:
      return make_expression(
          span_of_list(reading, node.row_expr->location),
          Row{to_expressions(reading, node.row_expr->args, node.row_expr->n_args)});
    default:
      refuse_node(node, place_of_node(reading, node));
  }
}

ExpressionPtr to_optional_expression(const Reading& reading, const PgQuery__Node* node) {
  return node == nullptr ? nullptr : to_expression(reading, *node);
}

std::vector<ExpressionPtr> to_expressions(const Reading& reading, PgQuery__Node* const* nodes,
                                          size_t count) {
  std::vector<ExpressionPtr> found;
  for (size_t index = 0; index < count; ++index) {
    found.push_back(to_expression(reading, *nodes[index]));
  }
  return found;
}

}  // namespace tessera::frontend::sql

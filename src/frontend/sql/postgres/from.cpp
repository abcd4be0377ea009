#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

/// Gives an item its alias, which begins at this token, and the names of its columns.
void add_alias(const Reading& reading, const PgQuery__Alias* node, FromItem& item) {
  if (node == nullptr) {
    return;
  }
  if (node->aliasname == kNoAlias) {
    if (node->n_colnames > 0) {
      const size_t opening = reading.behind(item.span);
      item.column_aliases = names_of(reading, node->colnames, node->n_colnames, opening + 1);
      item.span = reading.through_bracket(item.span, opening);
    }
    return;
  }
  AliasAt alias = alias_at(reading, node->aliasname, reading.behind(item.span));
  item.alias = std::move(alias.name);
  item.span = hull(item.span, item.alias->span);
  if (node->n_colnames > 0) {
    item.column_aliases = names_of(reading, node->colnames, node->n_colnames, alias.behind + 1);
    item.span = reading.through_bracket(item.span, alias.behind);
  }
}

std::string table_name(const Reading& reading, const PgQuery__RangeVar& node, SourceSpan place) {
  refuse_fields_but(reading, node.base, place, {"relname", "inh", "relpersistence", "alias"});
  return node.relname;
}

void check_ranges(const std::vector<VersionIndex>& version, bool is_union) {
  for (const VersionIndex& index : version) {
    if (index.is_range && !is_union) {
      fail(index.span, "a range of versions is no table", "UNION W[0...9] is all of them in one");
    }
  }
}

FromItem table(const Reading& reading, const PgQuery__RangeVar& node) {
  const SourceSpan place = reading.span(node.location);
  TableReference found{{table_name(reading, node, place), place}, {}, false};
  FromItem item;
  item.span = place;
  if (const auto version = reading.versions.find(place.begin); version != reading.versions.end()) {
    if (auto* indices = std::get_if<std::vector<VersionIndex>>(&version->second.indices)) {
      version->second.is_read = true;
      found.version = *indices;
      found.is_union = version->second.is_union;
      check_ranges(found.version, found.is_union);
      item.span = hull(place, version->second.span);
    }
  }
  item.of = std::move(found);
  add_alias(reading, node.alias, item);
  return item;
}

/// Grows a span by all parentheses that close around it: those around a query or a join in FROM are
/// no nodes.
SourceSpan with_parentheses(const Tokens& tokens, SourceSpan span) {
  span = tokens.balanced(span);
  for (size_t index = tokens.at(span.begin); index-- > 0 && tokens.is(index, "(");) {
    const size_t closing = tokens.match(index);
    if (closing == Tokens::kNone || closing != tokens.at(span.end)) {
      break;
    }
    span = {tokens[index].span.begin, tokens[closing].span.end};
  }
  return span;
}

FromItem query(const Reading& reading, const PgQuery__RangeSubselect& node) {
  FromItem item;
  const SelectPtr select = to_query(reading, *node.subquery, reading.whole());
  item.span = with_parentheses(reading.tokens, select->span);
  item.of = QueryReference{select, node.lateral != 0};
  add_alias(reading, node.alias, item);
  return item;
}

FromItem function(const Reading& reading, const PgQuery__RangeFunction& node) {
  // Functions see the items to their left with LATERAL or without.
  const PgQuery__Node& call = *node.functions[0]->list->items[0];
  FromItem item;
  const ExpressionPtr expression = to_expression(reading, call);
  refuse_fields_but(reading, node.base, expression->span,
                    {"lateral", "ordinality", "functions", "alias"});
  item.span = expression->span;
  if (node.ordinality) {  // WITH ORDINALITY
    const size_t last = reading.behind(item.span) + 1;
    item.span = hull(item.span, reading.place(last));
  }
  item.of = FunctionReference{expression, node.ordinality != 0};
  add_alias(reading, node.alias, item);
  return item;
}

JoinReference::Kind join_kind(const PgQuery__JoinExpr& node) {
  switch (node.jointype) {
    case PG_QUERY__JOIN_TYPE__JOIN_LEFT:
      return JoinReference::Kind::left;
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT:
      return JoinReference::Kind::right;
    case PG_QUERY__JOIN_TYPE__JOIN_FULL:
      return JoinReference::Kind::full;
    default:
      break;
  }
  const bool is_bare = !node.is_natural && node.n_using_clause == 0 && node.quals == nullptr;
  return is_bare ? JoinReference::Kind::cross : JoinReference::Kind::inner;
}

FromItem join(const Reading& reading, const PgQuery__JoinExpr& node) {
  FromItem item;
  JoinReference found{join_kind(node),
                      node.is_natural != 0,
                      to_from_item(reading, *node.larg),
                      to_from_item(reading, *node.rarg),
                      {},
                      nullptr};
  item.span = reading.tokens.balanced(hull(found.left->span, found.right->span));
  refuse_fields_but(reading, node.base, item.span,
                    {"jointype", "is_natural", "larg", "rarg", "using_clause", "quals", "alias"});
  if (node.n_using_clause > 0) {
    size_t opening = reading.behind(item.span);
    while (reading.tokens.is(opening, ")") || reading.tokens.is(opening, "using")) {
      ++opening;
    }
    found.using_columns = names_of(reading, node.using_clause, node.n_using_clause, opening + 1);
    item.span = reading.through_bracket(item.span, opening);
  }
  found.condition = to_optional_expression(reading, node.quals);
  if (found.condition != nullptr) {
    item.span = reading.tokens.balanced(hull(item.span, found.condition->span));
  }
  item.of = std::move(found);
  if (node.alias == nullptr) {
    return item;
  }
  // An item with a name of its own hides those inside: it becomes a query of all its columns.
  Select all;
  all.span = item.span;
  all.targets.push_back({std::make_shared<const Expression>(Expression{Star{}, item.span}), {}});
  all.from.push_back(std::make_shared<const FromItem>(item));
  item.of = QueryReference{std::make_shared<const Select>(std::move(all))};
  item.span = with_parentheses(reading.tokens, item.span);
  add_alias(reading, node.alias, item);
  return item;
}

FromItem item_of(const Reading& reading, const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
      return table(reading, *node.range_var);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
      return query(reading, *node.range_subselect);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
      return function(reading, *node.range_function);
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
      return join(reading, *node.join_expr);
    default:
      refuse_node(node, place_of_node(reading, node));
  }
}

}  // namespace

FromItemPtr to_from_item(const Reading& reading, const PgQuery__Node& node) {
  return std::make_shared<const FromItem>(item_of(reading, node));
}

Name to_table(const Reading& reading, const PgQuery__RangeVar& node) {
  const SourceSpan place = reading.span(node.location);
  return {table_name(reading, node, place), place};
}

}  // namespace tessera::frontend::sql

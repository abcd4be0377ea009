#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

/// The span of a query's parts, from the first to the last; the query's own words are no nodes.
class SpanOfParts {
 public:
  void add(SourceSpan span) { whole_ = whole_ ? hull(*whole_, span) : span; }
  void add(const ExpressionPtr& expression) {
    if (expression != nullptr) {
      add(expression->span);
    }
  }
  void add(const std::vector<ExpressionPtr>& expressions) {
    for (const ExpressionPtr& expression : expressions) {
      add(expression);
    }
  }
  /// Returns the span, grown to the word before it that opens it, and to brackets that belong to
  /// it.
  SourceSpan opened_by(const Reading& reading, std::string_view word) const {
    const SourceSpan found = reading.tokens.balanced(whole_.value_or(reading.whole()));
    for (size_t index = reading.tokens.at(found.begin); index-- > reading.statement.first;) {
      if (reading.tokens.is(index, word)) {
        return hull(found, reading.place(index));
      }
      if (reading.tokens.is(index, ";")) {
        break;
      }
    }
    return found;
  }
  SourceSpan balanced(const Reading& reading) const {
    return reading.tokens.balanced(whole_.value_or(reading.whole()));
  }

 private:
  std::optional<SourceSpan> whole_;
};

std::vector<std::vector<ExpressionPtr>> rows_of(const Reading& reading,
                                                const PgQuery__SelectStmt& node) {
  std::vector<std::vector<ExpressionPtr>> rows;
  for (size_t index = 0; index < node.n_values_lists; ++index) {
    const PgQuery__List& row = *node.values_lists[index]->list;
    rows.push_back(to_expressions(reading, row.items, row.n_items));
  }
  return rows;
}

void add_with(const Reading& reading, const PgQuery__WithClause& node, Select& select) {
  select.is_recursive = node.recursive != 0;
  for (size_t index = 0; index < node.n_ctes; ++index) {
    const PgQuery__CommonTableExpr& table = *node.ctes[index]->common_table_expr;
    const size_t token = reading.token(table.location);
    const SourceSpan place = reading.place(token);
    // MATERIALIZED and its opposite change no result.
    refuse_fields_but(reading, table.base, place,
                      {"ctename", "aliascolnames", "ctematerialized", "ctequery"});
    select.with.push_back({{table.ctename, place},
                           names_of(reading, table.aliascolnames, table.n_aliascolnames, token + 2),
                           to_query(reading, *table.ctequery, place)});
  }
}

/// True if the query has DISTINCT, an empty list; DISTINCT ON (…) is a list with expressions.
bool is_distinct(const Reading& reading, const PgQuery__SelectStmt& node) {
  for (size_t index = 0; index < node.n_distinct_clause; ++index) {
    const PgQuery__Node& key = *node.distinct_clause[index];
    if (key.node_case != PG_QUERY__NODE__NODE__NOT_SET) {
      refuse(place_of_node(reading, key), "DISTINCT ON", "use a window: row_number() OVER (...)");
    }
  }
  return node.n_distinct_clause > 0;
}

void add_windows(const Reading& reading, const PgQuery__SelectStmt& node, Select& select) {
  for (size_t index = 0; index < node.n_window_clause; ++index) {
    const PgQuery__WindowDef& window = *node.window_clause[index]->window_def;
    const size_t opening = reading.token(window.location);  // behind `name AS`
    const size_t name = opening - std::min<size_t>(opening, 2);
    select.windows.push_back({{window.name, reading.place(name)}, to_window(reading, window)});
  }
}

/// True for `TABLE t`, which comes as SELECT * FROM t whose star has no place.
bool is_table_command(const PgQuery__SelectStmt& node) {
  return node.n_target_list == 1 && node.target_list[0]->res_target->location < 0;
}

SourceSpan add_one_select(const Reading& reading, const PgQuery__SelectStmt& node, Select& select) {
  SpanOfParts parts;
  select.is_distinct = is_distinct(reading, node);
  select.targets = to_targets(reading, node.target_list, node.n_target_list);
  const bool is_table = is_table_command(node);
  for (const Target& target : select.targets) {
    if (!is_table) {
      parts.add(target.expression->span);
      parts.add(target.alias ? target.alias->span : target.expression->span);
    }
  }
  for (size_t index = 0; index < node.n_from_clause; ++index) {
    select.from.push_back(to_from_item(reading, *node.from_clause[index]));
    parts.add(select.from.back()->span);
  }
  select.where = to_optional_expression(reading, node.where_clause);
  select.group_by = to_expressions(reading, node.group_clause, node.n_group_clause);
  select.having = to_optional_expression(reading, node.having_clause);
  add_windows(reading, node, select);
  parts.add(select.where);
  parts.add(select.group_by);
  parts.add(select.having);
  if (select.targets.empty()) {
    refuse(parts.balanced(reading), "a SELECT without columns");
  }
  return parts.opened_by(reading, is_table ? "table" : "select");
}

SourceSpan add_set_operation(const Reading& reading, const PgQuery__SelectStmt& node,
                             Select& select) {
  using SetOperation = Select::SetOperation;
  select.operation = node.op == PG_QUERY__SET_OPERATION__SETOP_UNION       ? SetOperation::union_
                     : node.op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT ? SetOperation::intersect
                                                                           : SetOperation::except;
  select.is_all = node.all != 0;
  select.left = to_select(reading, *node.larg);
  select.right = to_select(reading, *node.rarg);
  return reading.tokens.balanced(hull(select.left->span, select.right->span));
}

SourceSpan add_values(const Reading& reading, const PgQuery__SelectStmt& node, Select& select) {
  select.values = rows_of(reading, node);
  SpanOfParts parts;
  for (const std::vector<ExpressionPtr>& row : select.values) {
    parts.add(row);
  }
  return parts.opened_by(reading, "values");
}

/// Adds ORDER BY, LIMIT and OFFSET; returns the span of the query with them.
SourceSpan add_tail(const Reading& reading, const PgQuery__SelectStmt& node, SourceSpan span,
                    Select& select) {
  select.order = to_order(reading, node.sort_clause, node.n_sort_clause);
  const ExpressionPtr limit = to_optional_expression(reading, node.limit_count);
  if (node.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) {
    refuse(limit->span, "WITH TIES");
  }
  // LIMIT ALL is LIMIT NULL to PostgreSQL, and no limit.
  const bool is_all = limit != nullptr && std::holds_alternative<NullLiteral>(limit->of);
  select.limit = is_all ? nullptr : limit;
  select.offset = to_optional_expression(reading, node.limit_offset);
  for (const OrderKey& key : select.order) {
    span = hull(span, key.expression->span);
  }
  for (const ExpressionPtr& part : {limit, select.offset}) {
    span = part == nullptr ? span : hull(span, part->span);
  }
  return reading.tokens.balanced(span);
}

}  // namespace

std::vector<Target> to_targets(const Reading& reading, PgQuery__Node* const* nodes, size_t count) {
  std::vector<Target> targets;
  for (size_t index = 0; index < count; ++index) {
    const PgQuery__ResTarget& node = *nodes[index]->res_target;
    Target target{to_expression(reading, *node.val), std::nullopt};
    if (*node.name != '\0') {
      target.alias = alias_at(reading, node.name, reading.behind(target.expression->span)).name;
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

SelectPtr to_select(const Reading& reading, const PgQuery__SelectStmt& node) {
  refuse_fields_but(
      reading, node.base, reading.whole(),
      {"distinct_clause", "target_list", "from_clause", "where_clause", "group_clause",
       "having_clause", "window_clause", "values_lists", "sort_clause", "limit_offset",
       "limit_count", "limit_option", "with_clause", "op", "all", "larg", "rarg"});
  auto select = std::make_shared<Select>();
  if (node.with_clause != nullptr) {
    add_with(reading, *node.with_clause, *select);
  }
  const SourceSpan core = node.larg != nullptr      ? add_set_operation(reading, node, *select)
                          : node.n_values_lists > 0 ? add_values(reading, node, *select)
                                                    : add_one_select(reading, node, *select);
  select->span = add_tail(reading, node, core, *select);
  if (node.with_clause != nullptr) {
    select->span = hull(select->span, reading.span(node.with_clause->location));
  }
  return select;
}

SelectPtr to_query(const Reading& reading, const PgQuery__Node& node, SourceSpan near) {
  if (node.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    refuse(near, "a statement that is no query in this place");
  }
  return to_select(reading, *node.select_stmt);
}

}  // namespace tessera::frontend::sql

#include <utility>

#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

/// Returns the names in parentheses after a token, if there are any.
std::vector<Name> column_names(const Reading& reading, PgQuery__Node* const* names, size_t count,
                               SourceSpan table) {
  return names_of(reading, names, count, reading.behind(table) + 1);
}

/// Gives VALUES in FROM the names of the defined columns, if it has none: the paper writes `CREATE
/// TABLE T[0][0] (val) AS SELECT val FROM VALUES (1)`.
SelectPtr with_columns_of_definition(const SelectPtr& query, const std::vector<Name>& columns) {
  if (query->from.size() != 1 || columns.empty() || query->from[0]->alias ||
      !std::holds_alternative<QueryReference>(query->from[0]->of)) {
    return query;
  }
  const Select& values = *std::get<QueryReference>(query->from[0]->of).query;
  if (values.values.empty() || values.values[0].size() != columns.size()) {
    return query;
  }
  auto item = std::make_shared<FromItem>(*query->from[0]);
  item->column_aliases = columns;
  auto changed = std::make_shared<Select>(*query);
  changed->from = {std::move(item)};
  return changed;
}

using StatementOf = decltype(Statement::of);

StatementOf create_table_as(const Reading& reading, const PgQuery__CreateTableAsStmt& node) {
  const PgQuery__IntoClause& into = *node.into;
  const SourceSpan place = reading.span(into.rel->location);
  if (node.objtype != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) {
    refuse(reading.whole(), "CREATE MATERIALIZED VIEW", "write CREATE TABLE ... AS");
  }
  refuse_fields_but(reading, into.base, place, {"rel", "col_names"});
  if (std::string_view(into.rel->relpersistence) != "p") {
    refuse(place, "a temporary or unlogged table made by a query");
  }
  const Name table = to_table(reading, *into.rel);
  const SelectPtr query = to_query(reading, *node.query, reading.whole());
  const auto version = reading.versions.find(table.span.begin);
  const auto* indices = version == reading.versions.end()
                            ? nullptr
                            : std::get_if<std::vector<DefinedIndex>>(&version->second.indices);
  if (indices == nullptr) {
    return CreateTableAs{table, node.if_not_exists != 0,
                         column_names(reading, into.col_names, into.n_col_names, table.span),
                         query};
  }
  version->second.is_read = true;
  if (node.if_not_exists) {
    refuse(place, "IF NOT EXISTS for versions");
  }
  const std::vector<Name> columns =
      column_names(reading, into.col_names, into.n_col_names, version->second.span);
  return DefineVersions{table, *indices, columns, with_columns_of_definition(query, columns),
                        std::string(reading.tokens.text(reading.whole()))};
}

StatementOf create_view(const Reading& reading, const PgQuery__ViewStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(), {"view", "aliases", "query", "replace"});
  const Name view = to_table(reading, *node.view);
  if (std::string_view(node.view->relpersistence) != "p") {
    refuse(view.span, "a temporary view");
  }
  const SelectPtr query = to_query(reading, *node.query, reading.whole());
  return CreateView{view, node.replace != 0,
                    column_names(reading, node.aliases, node.n_aliases, view.span), query,
                    std::string(reading.tokens.text(query->span))};
}

OrderKey index_key(const Reading& reading, const PgQuery__IndexElem& node, size_t token) {
  const SourceSpan place = reading.place(token);
  refuse_fields_but(reading, node.base, place, {"name", "expr", "ordering", "nulls_ordering"});
  OrderKey key;
  key.expression = node.expr != nullptr
                       ? to_expression(reading, *node.expr)
                       : make_expression(place, ColumnReference{std::nullopt, {node.name, place}});
  key.is_descending = node.ordering == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
  if (node.nulls_ordering > PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT) {
    key.nulls_first = node.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
  }
  return key;
}

StatementOf create_index(const Reading& reading, const PgQuery__IndexStmt& node) {
  refuse_fields_but(
      reading, node.base, reading.whole(),
      {"idxname", "relation", "access_method", "index_params", "unique", "if_not_exists"});
  const Name table = to_table(reading, *node.relation);
  size_t token = reading.behind(table.span);
  if (std::string_view(node.access_method) != "btree") {
    refuse(reading.place(token + 1), fmt::format("the method {}", node.access_method));
  }
  CreateIndex index{std::nullopt, table, node.unique != 0, node.if_not_exists != 0, {}};
  if (*node.idxname != '\0') {
    const size_t on = reading.tokens.at(table.span.begin) - 1;
    index.index =
        Name{node.idxname, reading.place(reading.tokens.is(on, "only") ? on - 2 : on - 1)};
  }
  token = reading.tokens.find(token, reading.statement.last, "(");
  for (size_t key = 0; key < node.n_index_params; ++key) {
    ++token;  // the parenthesis, or the comma
    index.keys.push_back(index_key(reading, *node.index_params[key]->index_elem, token));
    token = reading.tokens.find(token, reading.statement.last, ",");
  }
  return index;
}

StatementOf drop(const Reading& reading, const PgQuery__DropStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(),
                    {"objects", "remove_type", "behavior", "missing_ok"});
  Drop found{Drop::Kind::table, node.missing_ok != 0, {}};
  switch (node.remove_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
      found.kind = Drop::Kind::view;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
      found.kind = Drop::Kind::index;
      break;
    default:
      refuse(reading.whole(), "DROP of this");
  }
  size_t token = reading.statement.first + (found.if_exists ? 4 : 2);
  for (size_t index = 0; index < node.n_objects; ++index) {
    const PgQuery__List& name = *node.objects[index]->list;
    if (name.n_items != 1) {
      refuse(reading.place(token), "a schema before a name");
    }
    found.names.push_back({string_of(*name.items[0]), reading.place(token)});
    token = reading.tokens.find(token, reading.statement.last, ",") + 1;
  }
  if (node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE) {
    refuse(reading.place(reading.statement.last - 1), "CASCADE");
  }
  return found;
}

StatementOf rename(const Reading& reading, const PgQuery__RenameStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(),
                    {"rename_type", "relation_type", "relation", "subname", "newname", "behavior"});
  const size_t last = reading.statement.last - 1;
  Rename found{
      to_table(reading, *node.relation), std::nullopt, {node.newname, reading.place(last)}};
  if (node.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN) {
    found.column = Name{node.subname, reading.place(last - 2)};
  } else if (node.rename_type != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE &&
             node.rename_type != PG_QUERY__OBJECT_TYPE__OBJECT_VIEW) {
    refuse(reading.whole(), "RENAME of this");
  }
  return found;
}

StatementOf transaction(const Reading& reading, const PgQuery__TransactionStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(), {"kind"});
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
      return Transaction{Transaction::Kind::begin};
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
      return Transaction{Transaction::Kind::commit};
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
      return Transaction{Transaction::Kind::rollback};
    default:
      refuse(reading.whole(), "this form of transaction");
  }
}

/// Returns the words that open a statement, as users name it: `CREATE TRIGGER`.
std::string opening_words(const Reading& reading) {
  std::string words;
  for (size_t index = reading.statement.first;
       index < std::min(reading.statement.first + 2, reading.statement.last); ++index) {
    for (const char letter : reading.tokens.text(index)) {
      words += static_cast<char>(std::toupper(letter));
    }
    words += ' ';
  }
  return words.substr(0, words.size() - 1);
}

StatementOf statement_of(const Reading& reading, const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
      return Query{to_select(reading, *node.select_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      return to_create_table(reading, *node.create_stmt);
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
      return create_table_as(reading, *node.create_table_as_stmt);
    case PG_QUERY__NODE__NODE_VIEW_STMT:
      return create_view(reading, *node.view_stmt);
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      return create_index(reading, *node.index_stmt);
    case PG_QUERY__NODE__NODE_DROP_STMT:
      return drop(reading, *node.drop_stmt);
    case PG_QUERY__NODE__NODE_RENAME_STMT:
      return rename(reading, *node.rename_stmt);
    case PG_QUERY__NODE__NODE_INSERT_STMT:
      return to_insert(reading, *node.insert_stmt);
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
      return to_update(reading, *node.update_stmt);
    case PG_QUERY__NODE__NODE_DELETE_STMT:
      return to_delete(reading, *node.delete_stmt);
    case PG_QUERY__NODE__NODE_COPY_STMT:
      return to_copy(reading, *node.copy_stmt);
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
      return transaction(reading, *node.transaction_stmt);
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
      return Explain{
          to_options(reading, node.explain_stmt->options, node.explain_stmt->n_options),
          std::make_shared<const Statement>(to_statement(reading, *node.explain_stmt->query))};
    default:
      refuse(reading.place(reading.statement.first), opening_words(reading));
  }
}

}  // namespace

Statement to_statement(const Reading& reading, const PgQuery__Node& node) {
  return {statement_of(reading, node), reading.whole()};
}

}  // namespace tessera::frontend::sql

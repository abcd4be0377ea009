#include <utility>

#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

Name column_of(const Reading& reading, const PgQuery__ResTarget& node) {
  const SourceSpan place = reading.span(node.location);
  if (node.n_indirection > 0) {
    refuse(place, "a change of a part of a column");
  }
  return {node.name, place};
}

std::optional<Name> alias_of(const Reading& reading, const PgQuery__RangeVar& node) {
  if (node.alias == nullptr) {
    return std::nullopt;
  }
  return alias_at(reading, node.alias->aliasname, reading.behind(reading.span(node.location))).name;
}

std::string option_value(const PgQuery__Node* node, SourceSpan place) {
  if (node == nullptr) {
    return "";
  }
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_STRING:
      return node->string->sval;
    case PG_QUERY__NODE__NODE_INTEGER:
      return std::to_string(node->integer->ival);
    case PG_QUERY__NODE__NODE_FLOAT:
      return node->float_->fval;
    case PG_QUERY__NODE__NODE_BOOLEAN:
      return node->boolean->boolval ? "true" : "false";
    default:
      refuse(place, "this value of an option");
  }
}

}  // namespace

std::vector<Copy::Option> to_options(const Reading& reading, PgQuery__Node* const* nodes,
                                     size_t count) {
  std::vector<Copy::Option> options;
  for (size_t index = 0; index < count; ++index) {
    const PgQuery__DefElem& node = *nodes[index]->def_elem;
    const SourceSpan place = reading.span(node.location);
    refuse_fields_but(reading, node.base, place, {"defname", "arg"});
    options.push_back({{node.defname, place}, option_value(node.arg, place)});
  }
  return options;
}

Insert to_insert(const Reading& reading, const PgQuery__InsertStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(),
                    {"relation", "cols", "select_stmt", "returning_list"});
  Insert insert;
  insert.table = to_table(reading, *node.relation);
  if (node.relation->alias != nullptr) {
    refuse(insert.table.span, "an alias of a table that rows are put into");
  }
  for (size_t index = 0; index < node.n_cols; ++index) {
    insert.columns.push_back(column_of(reading, *node.cols[index]->res_target));
  }
  if (node.select_stmt == nullptr) {
    refuse(reading.whole(), "INSERT ... DEFAULT VALUES");
  }
  insert.query = to_query(reading, *node.select_stmt, reading.whole());
  insert.returning = to_targets(reading, node.returning_list, node.n_returning_list);
  return insert;
}

Update to_update(const Reading& reading, const PgQuery__UpdateStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(),
                    {"relation", "target_list", "where_clause", "from_clause"});
  Update update;
  update.table = to_table(reading, *node.relation);
  update.alias = alias_of(reading, *node.relation);
  for (size_t index = 0; index < node.n_target_list; ++index) {
    const PgQuery__ResTarget& target = *node.target_list[index]->res_target;
    const Name column = column_of(reading, target);
    if (target.val->node_case == PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF) {
      refuse_node(*target.val, column.span);
    }
    update.assignments.push_back({column, to_expression(reading, *target.val)});
  }
  for (size_t index = 0; index < node.n_from_clause; ++index) {
    update.from.push_back(to_from_item(reading, *node.from_clause[index]));
  }
  update.where = to_optional_expression(reading, node.where_clause);
  return update;
}

Delete to_delete(const Reading& reading, const PgQuery__DeleteStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(),
                    {"relation", "using_clause", "where_clause"});
  Delete found{to_table(reading, *node.relation), alias_of(reading, *node.relation), {}, nullptr};
  for (size_t index = 0; index < node.n_using_clause; ++index) {
    found.from.push_back(to_from_item(reading, *node.using_clause[index]));
  }
  found.where = to_optional_expression(reading, node.where_clause);
  return found;
}

Copy to_copy(const Reading& reading, const PgQuery__CopyStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(),
                    {"relation", "query", "attlist", "is_from", "filename", "options"});
  Copy copy;
  if (node.relation != nullptr) {
    copy.table = to_table(reading, *node.relation);
    copy.columns =
        names_of(reading, node.attlist, node.n_attlist, reading.behind(copy.table->span) + 1);
  } else {
    copy.query = to_query(reading, *node.query, reading.whole());
  }
  copy.is_from = node.is_from != 0;
  copy.file = node.filename;
  copy.options = to_options(reading, node.options, node.n_options);
  return copy;
}

}  // namespace tessera::frontend::sql

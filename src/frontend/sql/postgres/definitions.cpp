#include <utility>

#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

using Kind = TableConstraint::Kind;

/// Returns the parenthesis after a constraint's words.
size_t opening_behind(const Reading& reading, size_t token) {
  while (token + 1 < reading.statement.last && !reading.tokens.is(token, "(")) {
    ++token;
  }
  return token;
}

void refuse_rest_of_constraint(const Reading& reading, const PgQuery__Constraint& node) {
  // The validity of a constraint from the first is no clause of its own.
  refuse_fields_but(reading, node.base, reading.span(node.location),
                    {"contype", "conname", "raw_expr", "keys", "initially_valid"});
}

std::optional<std::string> name_of_constraint(const PgQuery__Constraint& node) {
  return *node.conname == '\0' ? std::nullopt : std::optional<std::string>(node.conname);
}

TableConstraint table_constraint(const Reading& reading, const PgQuery__Constraint& node) {
  refuse_rest_of_constraint(reading, node);
  TableConstraint constraint{Kind::check, name_of_constraint(node), {}, nullptr};
  switch (node.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
      constraint.condition = to_expression(reading, *node.raw_expr);
      return constraint;
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
      constraint.kind = Kind::primary_key;
      break;
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      constraint.kind = Kind::unique;
      break;
    default:
      refuse(reading.span(node.location), "DEFERRABLE");
  }
  const size_t opening = opening_behind(reading, reading.token(node.location));
  constraint.columns = names_of(reading, node.keys, node.n_keys, opening + 1);
  return constraint;
}

/// Adds a named constraint of a column to those of the table.
void add_named_constraint(const Reading& reading, const PgQuery__Constraint& node,
                          const Name& column, std::vector<TableConstraint>& constraints) {
  TableConstraint constraint{Kind::check, name_of_constraint(node), {}, nullptr};
  switch (node.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
      constraint.condition = to_expression(reading, *node.raw_expr);
      break;
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      constraint.kind =
          node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE ? Kind::unique : Kind::primary_key;
      constraint.columns = {column};
      break;
    default:
      refuse(reading.span(node.location), "a name for this constraint", "leave out CONSTRAINT");
  }
  constraints.push_back(std::move(constraint));
}

void add_constraint(const Reading& reading, const PgQuery__Constraint& node,
                    ColumnDefinition& column, std::vector<TableConstraint>& constraints) {
  refuse_rest_of_constraint(reading, node);
  if (*node.conname != '\0') {
    add_named_constraint(reading, node, column.name, constraints);
    return;
  }
  switch (node.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
      return;  // holds by default
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
      column.is_not_null = true;
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
      column.is_primary_key = true;
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      column.is_unique = true;
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
      column.default_value = to_expression(reading, *node.raw_expr);
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK: {
      const ExpressionPtr check = to_expression(reading, *node.raw_expr);
      column.check = column.check == nullptr
                         ? check
                         : make_expression(hull(column.check->span, check->span),
                                           Logical{Logical::Kind::all, {column.check, check}});
      return;
    }
    default:
      refuse(reading.span(node.location), "DEFERRABLE");
  }
}

void add_column(const Reading& reading, const PgQuery__ColumnDef& node, CreateTable& table) {
  const SourceSpan place = reading.span(node.location);
  refuse_fields_but(reading, node.base, place, {"colname", "type_name", "is_local", "constraints"});
  ColumnDefinition column;
  column.name = {node.colname, place};
  column.type = to_type(reading, *node.type_name);
  for (size_t index = 0; index < node.n_constraints; ++index) {
    add_constraint(reading, *node.constraints[index]->constraint, column, table.constraints);
  }
  table.columns.push_back(std::move(column));
}

}  // namespace

CreateTable to_create_table(const Reading& reading, const PgQuery__CreateStmt& node) {
  refuse_fields_but(reading, node.base, reading.whole(),
                    {"relation", "table_elts", "if_not_exists"});
  CreateTable table;
  table.table = to_table(reading, *node.relation);
  table.if_not_exists = node.if_not_exists != 0;
  table.is_temporary = std::string_view(node.relation->relpersistence) == "t";
  for (size_t index = 0; index < node.n_table_elts; ++index) {
    const PgQuery__Node& element = *node.table_elts[index];
    switch (element.node_case) {
      case PG_QUERY__NODE__NODE_COLUMN_DEF:
        add_column(reading, *element.column_def, table);
        break;
      case PG_QUERY__NODE__NODE_CONSTRAINT:
        table.constraints.push_back(table_constraint(reading, *element.constraint));
        break;
      default:
        refuse_node(element, place_of_node(reading, element));
    }
  }
  return table;
}

}  // namespace tessera::frontend::sql

#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <pg_query/pg_query.pb-c.h>

#include "frontend/sql/syntax.h"
#include "frontend/sql/text/finding.h"
#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"
#include "frontend/sql/text/versions.h"

namespace tessera::frontend::sql {

/// A statement during its conversion from PostgreSQL's tree to this syntax, with the maps from
/// nodes to places. A node knows at most a byte, in the text that PostgreSQL was given.
struct Reading {
  const Tokens& tokens;
  TokenRange statement;
  const Rewriting& rewriting;
  Versions& versions;

  /// Returns the token of the user's text at a node's location.
  size_t token(int32_t location) const;
  SourceSpan span(int32_t location) const { return place(token(location)); }
  /// Returns the place of a token of the statement; the last one if the index is behind it, because
  /// the grammar takes words that are not looked for here.
  SourceSpan place(size_t index) const {
    return tokens[std::clamp(index, statement.first, statement.last - 1)].span;
  }
  /// Returns the first token that ends after a span.
  size_t behind(SourceSpan span) const { return tokens.at(span.end); }
  /// Returns the span, grown to the end of the bracket that opens at this token; unchanged if none
  /// does.
  SourceSpan through_bracket(SourceSpan span, size_t opening) const;
  SourceSpan whole() const { return tokens.span(statement); }
};

using Message = ProtobufCMessage;

/// Refuses a clause that a node has and that is not in the list, so that no field is dropped
/// silently: it is refused by name. `near` is the node's place.
void refuse_fields_but(const Reading& reading, const Message& node, SourceSpan near,
                       std::initializer_list<std::string_view> converted);

/// Returns the token at a node's location; the whole statement if it has none.
SourceSpan place_of_node(const Reading& reading, const PgQuery__Node& node);

/// Refuses a node that this syntax does not have, by its name.
[[noreturn]] void refuse_node(const PgQuery__Node& node, SourceSpan near);

/// Returns the text of a String node. REQUIRES one.
std::string string_of(const PgQuery__Node& node);
/// Joins texts by dots: `pg_catalog.substring`.
std::string dotted(PgQuery__Node* const* names, size_t count);

/// Returns names in parentheses: the first is at this token, the others follow commas.
std::vector<Name> names_of(const Reading& reading, PgQuery__Node* const* names, size_t count,
                           size_t first);

/// The alias at this token or after AS, and the index of the token after it.
struct AliasAt {
  Name name;
  size_t behind;
};
AliasAt alias_at(const Reading& reading, std::string text, size_t index);

// One function for each kind of node; each throws a Finding for unsupported syntax.

ExpressionPtr to_expression(const Reading& reading, const PgQuery__Node& node);
/// Converts an expression; null to null.
ExpressionPtr to_optional_expression(const Reading& reading, const PgQuery__Node* node);
std::vector<ExpressionPtr> to_expressions(const Reading& reading, PgQuery__Node* const* nodes,
                                          size_t count);
ExpressionPtr constant(const Reading& reading, const PgQuery__AConst& node);
ExpressionPtr column(const Reading& reading, const PgQuery__ColumnRef& node);
ExpressionPtr cast(const Reading& reading, const PgQuery__TypeCast& node);
ExpressionPtr operation(const Reading& reading, const PgQuery__AExpr& node);
ExpressionPtr subquery(const Reading& reading, const PgQuery__SubLink& node, bool is_negated);
ExpressionPtr function_call(const Reading& reading, const PgQuery__FuncCall& node);

TypeName to_type(const Reading& reading, const PgQuery__TypeName& node);
SourceSpan type_span(const Reading& reading, const PgQuery__TypeName& node);

std::vector<OrderKey> to_order(const Reading& reading, PgQuery__Node* const* nodes, size_t count);
Window to_window(const Reading& reading, const PgQuery__WindowDef& node);

std::vector<Target> to_targets(const Reading& reading, PgQuery__Node* const* nodes, size_t count);
SelectPtr to_select(const Reading& reading, const PgQuery__SelectStmt& node);
/// Converts a query; refuses any other statement.
SelectPtr to_query(const Reading& reading, const PgQuery__Node& node, SourceSpan near);
FromItemPtr to_from_item(const Reading& reading, const PgQuery__Node& node);
/// Returns the name of a table that has no version.
Name to_table(const Reading& reading, const PgQuery__RangeVar& node);

CreateTable to_create_table(const Reading& reading, const PgQuery__CreateStmt& node);
Insert to_insert(const Reading& reading, const PgQuery__InsertStmt& node);
Update to_update(const Reading& reading, const PgQuery__UpdateStmt& node);
Delete to_delete(const Reading& reading, const PgQuery__DeleteStmt& node);
Copy to_copy(const Reading& reading, const PgQuery__CopyStmt& node);
std::vector<Copy::Option> to_options(const Reading& reading, PgQuery__Node* const* nodes,
                                     size_t count);
Statement to_statement(const Reading& reading, const PgQuery__Node& node);

/// Makes an expression with its place.
template <class Alternative>
ExpressionPtr make_expression(SourceSpan span, Alternative alternative) {
  return std::make_shared<const Expression>(Expression{std::move(alternative), span});
}

}  // namespace tessera::frontend::sql

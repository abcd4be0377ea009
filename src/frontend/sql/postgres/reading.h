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

/// A statement on its way from PostgreSQL's tree to our syntax, with what says where its nodes
/// stand: they know at most a byte each, in what PostgreSQL was given to read.
struct Reading {
  const Tokens& tokens;
  TokenRange statement;
  const Rewriting& rewriting;
  Versions& versions;

  /// The token of the user's text at a node's location.
  size_t token(int32_t location) const;
  SourceSpan span(int32_t location) const { return place(token(location)); }
  /// Where a token of the statement stands; of its last one where the grammar takes words that are
  /// not looked for here.
  SourceSpan place(size_t index) const {
    return tokens[std::clamp(index, statement.first, statement.last - 1)].span;
  }
  /// The first token that ends behind a span.
  size_t behind(SourceSpan span) const { return tokens.at(span.end); }
  /// The span, grown to the end of the bracket that opens with this token; the span where none
  /// does.
  SourceSpan through_bracket(SourceSpan span, size_t opening) const;
  SourceSpan whole() const { return tokens.span(statement); }
};

using Message = ProtobufCMessage;

/// Refuses a clause that a node has and that is none of these. So nothing is dropped without a
/// word: a field that nobody converts is refused by name. `near` is where the node stands.
void refuse_fields_but(const Reading& reading, const Message& node, SourceSpan near,
                       std::initializer_list<std::string_view> converted);

/// The token at a node's location; the whole statement where it has none.
SourceSpan place_of_node(const Reading& reading, const PgQuery__Node& node);

/// Refuses a node that has no place in our syntax, by its name.
[[noreturn]] void refuse_node(const PgQuery__Node& node, SourceSpan near);

/// The text of a String node. REQUIRES one.
std::string string_of(const PgQuery__Node& node);
/// Texts joined by dots: `pg_catalog.substring`.
std::string dotted(PgQuery__Node* const* names, size_t count);

/// Names in parentheses, of which the first stands at this token and the others behind commas.
std::vector<Name> names_of(const Reading& reading, PgQuery__Node* const* names, size_t count,
                           size_t first);

/// The alias at this token or behind AS, and the index of the token behind it.
struct AliasAt {
  Name name;
  size_t behind;
};
AliasAt alias_at(const Reading& reading, std::string text, size_t index);

// One function for each kind of node; each throws a Finding for what our syntax has not.

ExpressionPtr to_expression(const Reading& reading, const PgQuery__Node& node);
/// Null for null.
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
/// REQUIRES a query; refuses any other statement.
SelectPtr to_query(const Reading& reading, const PgQuery__Node& node, SourceSpan near);
FromItemPtr to_from_item(const Reading& reading, const PgQuery__Node& node);
/// The name of a table that has no version.
Name to_table(const Reading& reading, const PgQuery__RangeVar& node);

CreateTable to_create_table(const Reading& reading, const PgQuery__CreateStmt& node);
Insert to_insert(const Reading& reading, const PgQuery__InsertStmt& node);
Update to_update(const Reading& reading, const PgQuery__UpdateStmt& node);
Delete to_delete(const Reading& reading, const PgQuery__DeleteStmt& node);
Copy to_copy(const Reading& reading, const PgQuery__CopyStmt& node);
std::vector<Copy::Option> to_options(const Reading& reading, PgQuery__Node* const* nodes,
                                     size_t count);
Statement to_statement(const Reading& reading, const PgQuery__Node& node);

/// An expression of ours and where it stands.
template <class Alternative>
ExpressionPtr make_expression(SourceSpan span, Alternative alternative) {
  return std::make_shared<const Expression>(Expression{std::move(alternative), span});
}

}  // namespace tessera::frontend::sql

#pragma once

#include <functional>

#include "frontend/sql/syntax.h"

namespace tessera::frontend::sql {

/// A function that returns a replacement for an expression; null keeps it and continues with its
/// parts.
using ExpressionRewrite = std::function<ExpressionPtr(const ExpressionPtr&)>;
/// A function that returns a replacement for a query that is part of an expression, or of FROM; the
/// same query keeps it.
using SelectRewrite = std::function<SelectPtr(const SelectPtr&)>;
/// A function that returns a replacement for an item of FROM; null keeps it and continues with its
/// parts.
using FromRewrite = std::function<FromItemPtr(const FromItemPtr&)>;

struct Rewrites {
  ExpressionRewrite expression;  // any may be empty
  SelectRewrite select;
  FromRewrite from;
};

/// Replaces parts of a tree, from the outside in; parts without a replacement are shared with the
/// old tree. Queries inside are left alone unless `select` is given.
ExpressionPtr rewrite(const ExpressionPtr& expression, const Rewrites& rewrites);
FromItemPtr rewrite(const FromItemPtr& item, const Rewrites& rewrites);
/// Rewrites all clauses of a query; queries in FROM, in WITH and in expressions only by `select`.
SelectPtr rewrite(const SelectPtr& query, const Rewrites& rewrites);

/// Calls `visit` for every expression of a tree, from the outside in; if it returns false, the
/// parts are left out. Queries inside are not visited.
void for_each(const ExpressionPtr& expression,
              const std::function<bool(const ExpressionPtr&)>& visit);

/// True if a part of an expression is a query: a scalar one, EXISTS, or IN over one.
bool has_queries(const ExpressionPtr& expression);

/// Calls `visit` for every table that a query reads, including those of its inner queries.
void for_each_table(const SelectPtr& query,
                    const std::function<void(const TableReference&, SourceSpan)>& visit);

/// Makes an expression that the user did not write.
template <class T>
ExpressionPtr make_expression(T of, SourceSpan span = {}) {
  return std::make_shared<const Expression>(Expression{std::move(of), span});
}

}  // namespace tessera::frontend::sql

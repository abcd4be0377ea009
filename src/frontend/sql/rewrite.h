#pragma once

#include <functional>

#include "frontend/sql/syntax.h"

namespace tessera::frontend::sql {

/// What stands for an expression; null keeps it and asks for its parts.
using ExpressionRewrite = std::function<ExpressionPtr(const ExpressionPtr&)>;
/// What stands for a query that is part of an expression, or of FROM; the same one keeps it.
using SelectRewrite = std::function<SelectPtr(const SelectPtr&)>;
/// What stands for an item of FROM; null keeps it and asks for its parts.
using FromRewrite = std::function<FromItemPtr(const FromItemPtr&)>;

struct Rewrites {
  ExpressionRewrite expression;  // any may be empty
  SelectRewrite select;
  FromRewrite from;
};

/// A tree with parts of it replaced, from the outside in; what nothing replaces is shared with the
/// old tree. Queries inside are left alone unless `select` looks at them.
ExpressionPtr rewrite(const ExpressionPtr& expression, const Rewrites& rewrites);
FromItemPtr rewrite(const FromItemPtr& item, const Rewrites& rewrites);
/// All clauses of a query; queries in FROM, in WITH and in expressions only by `select`.
SelectPtr rewrite(const SelectPtr& query, const Rewrites& rewrites);

/// Calls `visit` for every expression of a tree, from the outside in, until it says false, which
/// leaves its parts out. Queries inside are not visited.
void for_each(const ExpressionPtr& expression,
              const std::function<bool(const ExpressionPtr&)>& visit);

/// True if a part of an expression is a query: a scalar one, EXISTS, or IN over one.
bool has_queries(const ExpressionPtr& expression);

/// Calls `visit` for every table that a query reads, in whatever query of it.
void for_each_table(const SelectPtr& query,
                    const std::function<void(const TableReference&, SourceSpan)>& visit);

/// An expression made of nothing that was written.
template <class T>
ExpressionPtr make_expression(T of, SourceSpan span = {}) {
  return std::make_shared<const Expression>(Expression{std::move(of), span});
}

}  // namespace tessera::frontend::sql

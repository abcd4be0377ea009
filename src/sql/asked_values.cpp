#include "sql/asked_values.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/rewrite.h"
#include "sql/bound_select.h"
#include "sql/equality_by_value.h"
#include "sql/partial_functions.h"
#include "sql/stages.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// True if a part of a query, or of one within it, may have no value for some rows.
bool any_may_fail(const SelectPtr& query) {
  bool found = false;
  rewrite(query, {[&](const ExpressionPtr& part) {
                    found = found || may_fail(part);
                    return ExpressionPtr();
                  },
                  [&](const SelectPtr& within) {
                    found = found || any_may_fail(within);
                    return within;
                  },
                  {}});
  return found;
}

}  // namespace

RelationPtr values_by_tensors(const OuterColumns& outer, const Scope& around,
                              QueryCompiler& compiler) {
  const Scope::AskedRows& asked = around.asked_rows();
  const bool has_tensors =
      std::any_of(outer.columns.begin(), outer.columns.end(), [&](const ExpressionPtr& column) {
        return around.find_tensor(std::get<ColumnReference>(column->of)) != nullptr;
      });
  if (asked.from.empty() || asked.by_tensors.empty() || has_tensors || !any_may_fail(outer.query)) {
    return nullptr;
  }
  BoundSelect rows;
  rows.scope = around;
  rows.from = asked.from;
  rows.conjuncts = asked.conditions;
  rows.conjuncts.insert(rows.conjuncts.end(), asked.by_tensors.begin(), asked.by_tensors.end());
  for (const ExpressionPtr& column : outer.columns) {
    rows.targets.push_back({column, Name{fmt::format("k{}", rows.targets.size() + 1), {}}});
  }
  compare_by_value(rows, compiler);
  return compile_bound(std::move(rows), compiler);
}

}  // namespace tessera::sql

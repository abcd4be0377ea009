#include "sql/outer_names.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sql/query.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// A query in FROM may have any columns.
bool has_only_tables(const Select& query) {
  return std::all_of(query.from.begin(), query.from.end(), [](const auto& item) {
    return std::holds_alternative<TableReference>(item->of);
  });
}

}  // namespace

bool is_outer_tensor(const ExpressionPtr& expression, const Scope& scope) {
  const auto* const column = std::get_if<ColumnReference>(&expression->of);
  return column != nullptr && column->table && column->table->text == kOuter &&
         scope.find_tensor(*column) != nullptr;
}

const Scope::Entry* NamesWithin::outer_entry(const ColumnReference& column) const {
  const auto entry_with = [&](const Scope& scope, const auto& holds) {
    const auto found = std::find_if(scope.entries().begin(), scope.entries().end(), holds);
    return found == scope.entries().end() ? nullptr : &*found;
  };
  if (column.table) {
    const auto is_called = [&](const Scope::Entry& entry) {
      return entry.alias == column.table->text;
    };
    return entry_with(own, is_called) != nullptr ? nullptr : entry_with(around, is_called);
  }
  const auto has_column = [&](const Scope::Entry& entry) {
    return std::any_of(entry.relation->columns.begin(), entry.relation->columns.end(),
                       [&](const RelationColumn& one) { return one.key == column.column.text; });
  };
  return !has_only_tables(query) || entry_with(own, has_column) != nullptr
             ? nullptr
             : entry_with(around, has_column);
}

Scope NamesWithin::seen_beyond() const {
  const bool is_known = has_only_tables(query);
  Scope seen;
  for (const Scope::Entry& entry : around.entries()) {
    const bool is_hidden =
        std::any_of(own.entries().begin(), own.entries().end(),
                    [&](const Scope::Entry& one) { return one.alias == entry.alias; });
    if (is_hidden) {
      continue;
    }
    Relation relation = *entry.relation;
    std::erase_if(relation.columns, [&](const RelationColumn& column) {
      return !is_known || own.has_column(column.key);
    });
    seen.add(entry.alias, std::make_shared<const Relation>(std::move(relation)));
  }
  return seen;
}

SelectPtr QueryCompiler::rewritten_within(const SelectPtr& query, const Scope& around,
                                          const MakesRewrites& make) {
  if (!query->values.empty()) {
    return rewritten_within(union_of_rows(*query), around, make);
  }
  if (query->operation != Select::SetOperation::none) {
    Select both = *query;
    both.left = rewritten_within(query->left, around, make);
    both.right = rewritten_within(query->right, around, make);
    return std::make_shared<const Select>(std::move(both));
  }
  common_.push_back(defined_by(*query));
  const Scope own = scope_of(*query);
  const NamesWithin names{*query, own, around};
  const Scope beyond = names.seen_beyond();
  Rewrites rewrites = make(names);
  rewrites.select = [&](const SelectPtr& inner) { return rewritten_within(inner, beyond, make); };
  Select body = *query;
  body.with.clear();
  Select made = *rewrite(std::make_shared<const Select>(std::move(body)), rewrites);
  made.with = query->with;
  common_.pop_back();
  return std::make_shared<const Select>(std::move(made));
}

}  // namespace tessera::sql

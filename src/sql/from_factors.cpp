#include "sql/from_factors.h"

#include <algorithm>
#include <utility>

#include "frontend/sql/rewrite.h"
#include "sql/without_lookups.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

std::string alias_of(const FromItem& item) {
  return item.alias ? item.alias->text : std::get<TableReference>(item.of).table.text;
}

/// True for `a.x <> b.y`.
bool is_difference_of_columns(const ExpressionPtr& condition) {
  const auto* const operation = std::get_if<Operation>(&condition->of);
  return operation != nullptr && operation->symbol == "<>" &&
         std::all_of(operation->operands.begin(), operation->operands.end(),
                     [](const ExpressionPtr& operand) {
                       return std::holds_alternative<ColumnReference>(operand->of);
                     });
}

bool is_column_of(const Scope::Entry& entry, const std::string& name) {
  return std::any_of(entry.relation->columns.begin(), entry.relation->columns.end(),
                     [&](const RelationColumn& column) { return column.key == name; });
}

}  // namespace

std::optional<FromFactors> FromFactors::of(const std::vector<FromItemPtr>& from,
                                           const std::vector<ExpressionPtr>& conjuncts,
                                           const Scope& scope) {
  const std::optional<KeyRows> flat = with_flat_joins({from, conjuncts, {}});
  if (!flat || flat->from.empty()) {
    return std::nullopt;
  }
  FromFactors found(scope);
  found.items_ = flat->from;
  found.conjuncts_ = flat->conjuncts;
  for (const FromItemPtr& item : found.items_) {
    found.factors_.push_back({{item}, {alias_of(*item)}, {}});
  }
  return found.add_conditions() ? std::optional(std::move(found)) : std::nullopt;
}

bool FromFactors::add_conditions() {
  for (const ExpressionPtr& condition : conjuncts_) {
    const std::optional<std::vector<size_t>> named = factors_of(condition);
    if (!named || has_queries(condition)) {
      return false;
    }
    if (!is_difference_of_columns(condition)) {
      tie(*named);
    }
  }
  for (const ExpressionPtr& condition : conjuncts_) {
    const std::optional<size_t> factor = factor_of(condition);
    (factor ? factors_[*factor].conditions : differences_).push_back(condition);
  }
  return true;
}

/// Makes one factor of several, in the order of FROM.
void FromFactors::tie(std::vector<size_t> factors) {
  for (; factors.size() > 1; factors.pop_back()) {
    FromFactor& one = factors_[factors.front()];
    FromFactor& other = factors_[factors.back()];
    one.items.insert(one.items.end(), other.items.begin(), other.items.end());
    one.aliases.insert(one.aliases.end(), other.aliases.begin(), other.aliases.end());
    factors_.erase(factors_.begin() + static_cast<std::ptrdiff_t>(factors.back()));
  }
}

std::optional<size_t> FromFactors::factor_of(const ColumnReference& column) const {
  std::optional<std::string> alias;
  for (const Scope::Entry& entry : scope_->entries()) {
    const bool is_meant =
        column.table ? entry.alias == column.table->text : is_column_of(entry, column.column.text);
    if (is_meant && (alias || !entry.defined.empty())) {
      return std::nullopt;
    }
    alias = is_meant ? entry.alias : alias;
  }
  for (size_t factor = 0; alias && factor < factors_.size(); ++factor) {
    const std::vector<std::string>& own = factors_[factor].aliases;
    if (std::find(own.begin(), own.end(), *alias) != own.end()) {
      return factor;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<size_t>> FromFactors::factors_of(const ExpressionPtr& expression) const {
  std::vector<size_t> named;
  bool are_known = true;
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const column = std::get_if<ColumnReference>(&part->of);
    const std::optional<size_t> factor = column == nullptr ? std::nullopt : factor_of(*column);
    are_known = are_known && (column == nullptr || factor);
    if (factor) {
      named.push_back(*factor);
    }
    return are_known;
  });
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return are_known ? std::optional(std::move(named)) : std::nullopt;
}

std::optional<size_t> FromFactors::factor_of(const ExpressionPtr& expression) const {
  const std::optional<std::vector<size_t>> named = factors_of(expression);
  return !named || named->size() > 1 ? std::nullopt
                                     : std::optional(named->empty() ? size_t{0} : named->front());
}

}  // namespace tessera::sql

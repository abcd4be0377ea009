#include "sql/scope.h"

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/scalar_types.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// True if a reference means a column of a table.
bool is_meant(const ColumnReference& reference, const Scope::Entry& entry,
              const RelationColumn& column) {
  return (!reference.table || reference.table->text == entry.alias) &&
         column.key == reference.column.text;
}

}  // namespace

const RelationColumn* Scope::find_tensor(const ColumnReference& reference) const {
  const RelationColumn* found = nullptr;
  for (const Entry& entry : entries_) {
    if (reference.table && reference.table->text != entry.alias) {
      continue;
    }
    for (const RelationColumn& column : entry.relation->columns) {
      if (column.key == reference.column.text && column.tensor) {
        if (found != nullptr) {
          throw database::SqlError(
              database::SqlState::ambiguous_column,
              Error(ErrorKind::user, fmt::format("column {} is in several tables here: write {}.{}",
                                                 column.name, entry.alias, column.name)),
              reference.column.span);
        }
        found = &column;
      }
    }
  }
  return found;
}

const RelationColumn* Scope::find_tensor(const ExpressionPtr& expression) const {
  if (const auto* const column = std::get_if<ColumnReference>(&expression->of)) {
    return find_tensor(*column);
  }
  const auto* const query = std::get_if<ScalarQuery>(&expression->of);
  const auto found = query == nullptr ? queries_.end() : queries_.find(query->query);
  return found != queries_.end() && found->second->columns.front().tensor
             ? &found->second->columns.front()
             : nullptr;
}

ExpressionPtr Scope::find_defined(const ColumnReference& reference) const {
  for (const Entry& entry : entries_) {
    for (const Target& column : entry.defined) {
      if ((!reference.table || reference.table->text == entry.alias) &&
          column.alias->text == reference.column.text) {
        return column.expression;
      }
    }
  }
  return nullptr;
}

std::optional<database::ScalarType> Scope::find_scalar(const ColumnReference& reference) const {
  for (const Entry& entry : entries_) {
    for (const RelationColumn& column : entry.relation->columns) {
      if (is_meant(reference, entry, column)) {
        return column.scalar;
      }
    }
  }
  return around_ != nullptr ? around_->find_scalar(reference) : std::nullopt;
}

bool Scope::may_be_nan(const ExpressionPtr& expression) const {
  if (const auto* const query = std::get_if<ScalarQuery>(&expression->of)) {
    const RelationPtr found = find_query(query->query);
    return found && found->columns.front().may_be_nan;
  }
  if (const auto* const sum = std::get_if<Call>(&expression->of)) {
    const auto type = scalar_type_of(sum->arguments.front(), *this);
    return type != database::ScalarType::integer && type != database::ScalarType::boolean;
  }
  const auto* const reference = std::get_if<ColumnReference>(&expression->of);
  bool is_own = reference == nullptr;
  for (const Entry& entry : entries_) {
    for (const RelationColumn& column : entry.relation->columns) {
      const bool is_it = reference != nullptr && is_meant(*reference, entry, column);
      if (is_it && column.may_be_nan) {
        return true;
      }
      is_own = is_own || is_it;
    }
  }
  return !is_own && around_ != nullptr && around_->may_be_nan(expression);
}

bool Scope::has_column(const std::string& name) const {
  for (const Entry& entry : entries_) {
    for (const RelationColumn& column : entry.relation->columns) {
      if (column.name == name) {
        return true;
      }
    }
    for (const Target& column : entry.defined) {
      if (column.alias->text == name) {
        return true;
      }
    }
  }
  return false;
}

std::vector<Target> columns_of(const Scope::Entry& entry) {
  std::vector<Target> targets = entry.defined;
  for (const RelationColumn& column : entry.relation->columns) {
    if (!column.is_hidden) {
      const ColumnReference reference{Name{entry.alias, {}}, Name{column.key, {}}};
      targets.push_back({make_expression(reference), Name{column.name, {}}});
    }
  }
  return targets;
}

std::vector<Target> Scope::columns_of(const Name& table) const {
  std::vector<Target> targets;
  bool is_known = false;
  for (const Entry& entry : entries_) {
    if (table.text == entry.alias) {
      is_known = true;
      const std::vector<Target> own = sql::columns_of(entry);
      targets.insert(targets.end(), own.begin(), own.end());
    }
  }
  if (!is_known) {
    fail_no_table(table);
  }
  return targets;
}

}  // namespace tessera::sql

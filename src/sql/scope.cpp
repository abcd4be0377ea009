#include "sql/scope.h"

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

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

bool Scope::has_column(const std::string& name) const {
  for (const Entry& entry : entries_) {
    for (const RelationColumn& column : entry.relation->columns) {
      if (column.name == name) {
        return true;
      }
    }
  }
  return false;
}

std::vector<Target> Scope::columns_of(const Star& star) const {
  std::vector<Target> targets;
  bool is_known = !star.table;
  for (const Entry& entry : entries_) {
    if (star.table && star.table->text != entry.alias) {
      continue;
    }
    is_known = true;
    for (const RelationColumn& column : entry.relation->columns) {
      const ColumnReference reference{Name{entry.alias, {}}, Name{column.key, {}}};
      targets.push_back({make_expression(reference), Name{column.name, {}}});
    }
  }
  if (!is_known) {
    fail_no_table(*star.table);
  }
  return targets;
}

}  // namespace tessera::sql

#include "sql/renamed_columns.h"

#include <utility>

#include "base/error.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

FromItem with_all_names(const FromItem& item, const std::vector<RelationColumn>& columns) {
  FromItem other = item;
  if (columns.empty()) {  // of a recursion: they are not known yet
    return other;
  }
  std::vector<Name>& names = other.column_aliases;
  at(item.span, [&] {
    TESSERA_USER_CHECK(names.size() <= columns.size(), "{} names are given for {} columns",
                       names.size(), columns.size());
  });
  for (size_t place = names.size(); !names.empty() && place < columns.size(); ++place) {
    names.push_back({columns[place].name, {}});
  }
  return other;
}

FromItemPtr with_all_names(const FromItemPtr& item, const Scope& scope) {
  if (!std::holds_alternative<QueryReference>(item->of) || !item->alias ||
      item->column_aliases.empty()) {
    return nullptr;
  }
  for (const Scope::Entry& entry : scope.entries()) {
    const std::vector<RelationColumn>& columns = entry.relation->columns;
    if (entry.alias == item->alias->text && !columns.empty() &&
        columns.size() != item->column_aliases.size()) {
      return std::make_shared<const FromItem>(with_all_names(*item, columns));
    }
  }
  return nullptr;
}

}  // namespace tessera::sql

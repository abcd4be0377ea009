#include "sql/joined_names.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "frontend/sql/rewrite.h"
#include "sql/star_columns.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

bool has_column(const Scope::Entry& entry, const std::string& name) {
  return std::any_of(entry.relation->columns.begin(), entry.relation->columns.end(),
                     [&](const RelationColumn& column) { return column.name == name; }) ||
         std::any_of(entry.defined.begin(), entry.defined.end(),
                     [&](const Target& column) { return column.alias->text == name; });
}

/// Walks tables from left to right, as a scope has them.
class ConditionNames {
 public:
  explicit ConditionNames(const Scope& scope) : scope_(scope), entries_(scope.entries()) {}

  FromItemPtr of(const FromItemPtr& item) {
    const auto* const join = std::get_if<JoinReference>(&item->of);
    if (join == nullptr) {
      pass(*item);
      return item;
    }
    const size_t first = next_;
    JoinReference other = *join;
    other.left = of(join->left);
    other.right = of(join->right);
    if (join->condition && is_known_) {
      other.condition = named(*join, first);
    }
    FromItem changed = *item;
    changed.of = std::move(other);
    return std::make_shared<const FromItem>(std::move(changed));
  }

 private:
  void pass(const FromItem& item) {
    const std::optional<std::string> name = name_in_scope(item);
    if (name && next_ < entries_.size() && entries_[next_].alias == *name) {
      ++next_;
    } else {
      is_known_ = false;  // it may have any columns
    }
  }

  ExpressionPtr named(const JoinReference& join, size_t first) const {
    const std::vector<Target> columns = columns_of_joined(join, scope_, first);
    const auto meant = [&](const ExpressionPtr& part) -> ExpressionPtr {
      const auto* const column = std::get_if<ColumnReference>(&part->of);
      if (column == nullptr || column->table || !is_beyond(column->column.text, first)) {
        return nullptr;
      }
      const auto is_called = [&](const Target& target) {
        return target.alias->text == column->column.text;
      };
      return std::count_if(columns.begin(), columns.end(), is_called) == 1
                 ? std::find_if(columns.begin(), columns.end(), is_called)->expression
                 : nullptr;
    };
    return rewrite(join.condition, {meant, {}, {}});
  }

  /// Whether a table has this column that is none of those from this one on to the last so far.
  bool is_beyond(const std::string& name, size_t first) const {
    for (size_t place = 0; place < entries_.size(); ++place) {
      if ((place < first || place >= next_) && has_column(entries_[place], name)) {
        return true;
      }
    }
    return false;
  }

  const Scope& scope_;
  const std::vector<Scope::Entry>& entries_;
  size_t next_ = 0;
  bool is_known_ = true;
};

}  // namespace

std::vector<FromItemPtr> with_tables_in_conditions(const std::vector<FromItemPtr>& from,
                                                   const Scope& scope) {
  ConditionNames names(scope);
  std::vector<FromItemPtr> items;
  for (const FromItemPtr& item : from) {
    items.push_back(names.of(item));
  }
  return items;
}

}  // namespace tessera::sql

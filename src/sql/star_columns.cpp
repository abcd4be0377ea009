#include "sql/star_columns.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

using Targets = std::vector<Target>;

Targets::const_iterator find(const Targets& columns, const std::string& name) {
  return std::find_if(columns.begin(), columns.end(),
                      [&](const Target& column) { return column.alias->text == name; });
}

std::vector<Name> names_in_common(const Targets& left, const Targets& right) {
  std::vector<Name> names;
  for (const Target& column : left) {
    if (find(right, column.alias->text) != right.end()) {
      names.push_back(*column.alias);
    }
  }
  return names;
}

/// The column that a join has for one of each of its tables.
ExpressionPtr merged(JoinReference::Kind kind, const ExpressionPtr& left,
                     const ExpressionPtr& right) {
  switch (kind) {
    case JoinReference::Kind::right:
      return right;
    case JoinReference::Kind::full:
      return make_expression(Call{Name{"coalesce", {}}, {left, right}});
    case JoinReference::Kind::inner:
    case JoinReference::Kind::left:
    case JoinReference::Kind::cross:
      break;
  }
  return left;
}

/// Walks tables from left to right, as a scope has them.
class StarColumns {
 public:
  StarColumns(const Scope& scope, size_t first_entry) : scope_(scope), next_(first_entry) {}

  Targets of(const FromItem& item) {
    const auto* const join = std::get_if<JoinReference>(&item.of);
    return join == nullptr ? of_table(item) : of_join(*join);
  }

  /// Whether the columns of all tables so far were known.
  bool is_known() const { return is_known_; }

 private:
  Targets of_table(const FromItem& item) {
    const std::optional<std::string> name = name_in_scope(item);
    const std::vector<Scope::Entry>& entries = scope_.entries();
    if (!name || next_ == entries.size() || entries[next_].alias != *name) {
      is_known_ = false;
      return {};
    }
    const Scope::Entry& entry = entries[next_++];
    is_known_ = is_known_ && !(entry.relation->columns.empty() && entry.defined.empty());
    return columns_of(entry);
  }

  Targets of_join(const JoinReference& join) {
    Targets left = of(*join.left);
    Targets right = of(*join.right);
    Targets columns;
    for (const Name& name : join.is_natural ? names_in_common(left, right) : join.using_columns) {
      const auto one = find(left, name.text);
      const auto other = find(right, name.text);
      if (one != left.end() && other != right.end()) {
        columns.push_back({merged(join.kind, one->expression, other->expression), one->alias});
        left.erase(one);
        right.erase(other);
      }
    }
    std::move(left.begin(), left.end(), std::back_inserter(columns));
    std::move(right.begin(), right.end(), std::back_inserter(columns));
    return columns;
  }

  const Scope& scope_;
  size_t next_;
  bool is_known_ = true;
};

}  // namespace

std::optional<std::string> name_in_scope(const FromItem& item) {
  if (item.alias) {
    return item.alias->text;
  }
  if (const auto* const table = std::get_if<TableReference>(&item.of)) {
    return table->table.text;
  }
  const auto* const function = std::get_if<FunctionReference>(&item.of);
  const auto* const call = function == nullptr ? nullptr : std::get_if<Call>(&function->call->of);
  return call == nullptr ? std::nullopt : std::optional(call->function.text);
}

bool has_joined_columns(const std::vector<FromItemPtr>& from) {
  return std::any_of(from.begin(), from.end(), [](const FromItemPtr& item) {
    const auto* const join = std::get_if<JoinReference>(&item->of);
    return join != nullptr && (join->is_natural || !join->using_columns.empty() ||
                               has_joined_columns({join->left, join->right}));
  });
}

bool knows_columns(const std::vector<FromItemPtr>& from, const Scope& scope) {
  StarColumns star(scope, 0);
  for (const FromItemPtr& item : from) {
    star.of(*item);
  }
  return star.is_known();
}

std::vector<Target> columns_of_star(const std::vector<FromItemPtr>& from, const Scope& scope) {
  StarColumns star(scope, 0);
  Targets columns;
  for (const FromItemPtr& item : from) {
    Targets own = star.of(*item);
    std::move(own.begin(), own.end(), std::back_inserter(columns));
  }
  return columns;
}

std::vector<Target> columns_of_joined(const JoinReference& join, const Scope& scope,
                                      size_t first_entry) {
  StarColumns star(scope, first_entry);
  Targets columns = star.of(*join.left);
  Targets right = star.of(*join.right);
  std::move(right.begin(), right.end(), std::back_inserter(columns));
  return columns;
}

JoinReference without_natural(JoinReference join, const Scope& scope, size_t first_entry) {
  if (!join.is_natural) {
    return join;
  }
  StarColumns star(scope, first_entry);
  const Targets left = star.of(*join.left);
  const Targets right = star.of(*join.right);
  if (star.is_known()) {
    join.using_columns = names_in_common(left, right);
    join.is_natural = false;
  }
  return join;
}

}  // namespace tessera::sql

#include "sql/distinct_arguments.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/first_part.h"
#include "sql/tensor_building.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

class FirstOfEqual {
 public:
  FirstOfEqual(const BoundSelect& select, const Relation& rows)
      : columns_(rows.columns), select_(select) {
    for (const ExpressionPtr& key : select.group_by) {
      keys_ += sqlite_text(*key) + ", ";
    }
  }

  /// The call over the rows that are the first with their values; null where it is none of these.
  ExpressionPtr taken(const ExpressionPtr& expression) {
    const auto* const call = std::get_if<Call>(&expression->of);
    if (call == nullptr || !call->is_distinct || call->arguments.size() != 1 || call->over ||
        !is_ours(*call)) {
      return nullptr;
    }
    Call other = *call;
    other.is_distinct = false;
    const std::string argument = sqlite_text(*call->arguments[0]);
    const std::string filter = call->filter ? sqlite_text(*call->filter) : "1";
    const std::string name = fmt::format("first{}", names_.size() + 1);
    names_.push_back(name);
    texts_ += fmt::format(
        ", ({0}) AND row_number() OVER (PARTITION BY {1}{2}, ({0}) IS TRUE ORDER BY {3}.rowid) = 1 "
        "AS {4}",
        filter, keys_, argument, kFirstPart, name);
    other.filter =
        make_expression(ColumnReference{Name{kFirstPart, {}}, Name{name, {}}}, expression->span);
    return make_expression(std::move(other), expression->span);
  }

  /// The rows, with a column for each such call.
  RelationPtr with_columns(const std::string& table, QueryCompiler& compiler) const {
    std::vector<RelationColumn> columns = columns_;
    for (const std::string& name : names_) {
      columns.emplace_back(RelationColumn{name});
    }
    return compiler.make_relation(fmt::format("SELECT *{} FROM {} AS {} ORDER BY {}.rowid", texts_,
                                              sqlite_name(table), kFirstPart, kFirstPart),
                                  std::move(columns));
  }

  bool is_empty() const { return names_.empty(); }

 private:
  /// SQLite has its own DISTINCT of scalars, and counts equal row numbers.
  bool is_ours(const Call& call) const {
    return builds_tensors(call.function.text) ||
           (call.function.text != "count" &&
            select_.scope.find_tensor(call.arguments[0]) != nullptr);
  }

  std::vector<RelationColumn> columns_;
  const BoundSelect& select_;
  std::string keys_;
  std::string texts_;
  std::vector<std::string> names_;
};

}  // namespace

void take_distinct_tensors(BoundSelect& select, QueryCompiler& compiler) {
  const RelationPtr rows = select.scope.entries().front().relation;
  FirstOfEqual first(select, *rows);
  for_each_result(select, [&](ExpressionPtr& expression) {
    expression =
        rewrite(expression, {[&](const ExpressionPtr& part) { return first.taken(part); }, {}, {}});
  });
  if (!first.is_empty()) {
    read_from(first.with_columns(rows->table, compiler), select);
  }
}

}  // namespace tessera::sql

#include "sql/unnest.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kPositions = "tessera_positions";

/// How many rows a tensor gives. Errors: `user` where there is no one tensor.
int64_t num_positions(const Call& call, const Scope& scope, QueryCompiler& compiler) {
  return at(call.function.span, [&] {
    TESSERA_USER_CHECK(call.arguments.size() == 1, "unnest takes one tensor");
    Level level(scope, compiler.vocabulary(), compiler.random_keys());
    const std::optional<TensorValue> value = level.tensor_of(call.arguments[0]);
    TESSERA_USER_CHECK(value && !value->is_number(), "unnest takes a tensor");
    return value->term.type.shape.front();
  });
}

/// A table that counts from 1, in a column of this name.
RelationPtr positions(int64_t count, const std::string& column, bool is_hidden,
                      QueryCompiler& compiler) {
  RelationColumn number{column};
  number.is_hidden = is_hidden;
  // Two digits of this base: SQLite joins faster than it recurs.
  const auto base = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  return compiler.make_relation(
      fmt::format(
          "WITH RECURSIVE digit(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM digit WHERE x + "
          "1 < {0}) SELECT high.x * {0} + low.x + 1 AS {1} FROM digit AS high CROSS JOIN "
          "digit AS low WHERE high.x * {0} + low.x < {2}",
          base, sqlite_name(column), count),
      {number});
}

FromItemPtr table_of(const RelationPtr& relation, const std::string& alias) {
  FromItem item{TableReference{Name{relation->table, {}}, {}, false}, Name{alias, {}}, {}, {}};
  return std::make_shared<const FromItem>(std::move(item));
}

ExpressionPtr element_at(const ExpressionPtr& tensor, const std::string& alias,
                         const std::string& column, SourceSpan span) {
  const ExpressionPtr place =
      make_expression(ColumnReference{Name{alias, {}}, Name{column, {}}}, span);
  return make_expression(Element{tensor, {{false, place, nullptr}}}, span);
}

ExpressionPtr is_there(const ExpressionPtr& tensor) {
  return make_expression(Test{Test::Kind::null, true, tensor, nullptr}, tensor->span);
}

}  // namespace

bool is_unnest(const Call& call) {
  return call.function.text == "unnest" && !call.over;
}

FromItemPtr unnest_table(const FromItem& item, Scope& scope, QueryCompiler& compiler) {
  const auto& function = std::get<FunctionReference>(item.of);
  Call call = std::get<Call>(function.call->of);
  for (ExpressionPtr& argument : call.arguments) {
    argument = compiler.prepared(argument, scope);
  }
  const std::string alias = item.alias ? item.alias->text : "unnest";
  const std::vector<Name>& names = item.column_aliases;
  const size_t num_columns = function.is_numbered ? 2 : 1;
  TESSERA_USER_CHECK(names.size() <= num_columns, "unnest has {} columns here, not {}", num_columns,
                     names.size());
  const std::string element = names.empty() ? alias : names[0].text;
  const std::string place = !function.is_numbered ? kPositions
                            : names.size() > 1    ? names[1].text
                                                  : "ordinality";
  const RelationPtr relation =
      positions(num_positions(call, scope, compiler), place, !function.is_numbered, compiler);
  const ExpressionPtr value = element_at(call.arguments[0], alias, place, function.call->span);
  scope.add_defined(alias, relation, {value, Name{element, {}}}, is_there(call.arguments[0]));
  return table_of(relation, alias);
}

void unnest_targets(BoundSelect& select, QueryCompiler& compiler) {
  int64_t count = 0;
  std::vector<ExpressionPtr> there;
  for_each_result(select, [&](ExpressionPtr& expression) {
    expression = rewrite(
        expression, {[&](const ExpressionPtr& part) -> ExpressionPtr {
                       const auto* const call = std::get_if<Call>(&part->of);
                       if (call == nullptr || !is_unnest(*call)) {
                         return nullptr;
                       }
                       const int64_t own = num_positions(*call, select.scope, compiler);
                       at(part->span, [&] {
                         TESSERA_USER_CHECK(count == 0 || own == count,
                                            "unnest of {} and of {} positions side by side", count,
                                            own);
                       });
                       count = own;
                       there.push_back(is_there(call->arguments[0]));
                       return element_at(call->arguments[0], kPositions, kPositions, part->span);
                     },
                     {},
                     {}});
  });
  const RelationPtr relation = positions(count, kPositions, true, compiler);
  select.scope.add(kPositions, relation);
  select.from.push_back(table_of(relation, kPositions));
  select.conjuncts.push_back(there.size() == 1
                                 ? there.front()
                                 : make_expression(Logical{Logical::Kind::any, std::move(there)}));
}

}  // namespace tessera::sql

#include "sql/membership.h"

#include <numeric>
#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/equal_tensors.h"
#include "sql/row_bytes.h"
#include "sql/row_space.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kMember = "tessera_member";
constexpr const char* kAsked = "tessera_asked";  // the first of the values that are asked with

/// What a query that names columns of the one around compares: own columns with what these say.
std::vector<Test> tests_of(const Select& query) {
  std::vector<Test> tests;
  if (query.where) {
    for (const ExpressionPtr& condition : std::get<Logical>(query.where->of).operands) {
      tests.push_back(std::get<Test>(condition->of));
    }
  }
  return tests;
}

/// All rows of a tensor in another dtype.
TensorRows converted(const TensorRows& rows, DType dtype, TensorProgram& program) {
  if (rows.element.dtype == dtype) {
    return rows;
  }
  FreshLabels fresh;
  const Labels row_labels = fresh.of(rows.grid);
  const Labels all = joined(row_labels, fresh.of(rows.element.shape));
  return program.add(
      rows.grid, {dtype, rows.element.shape},
      {left_of(all), program::converted(dtype, program::read(rows.name, indices_of(all)))});
}

/// The tensors of some rows, and which of them each row has.
struct Wanted {
  TensorRows tensor;
  std::vector<int64_t> numbers;
};

Wanted tensors_of(const TensorValue& value, DType dtype, RowSpace& space, Level& level) {
  if (value.leaf && value.leaf->tensor.element.dtype == dtype) {  // they are there as they are
    return {value.leaf->tensor, space.numbers(value.leaf->column)};
  }
  FreshLabels labels = *value.labels;
  const Labels row_labels = labels.of(space.grid());
  level.stand_on(space, row_labels);
  const Labels modes = labels.of(value.term.type.shape);
  const TensorRows computed = space.program().add(
      space.grid(), {dtype, value.term.type.shape},
      {left_of(joined(row_labels, modes)), program::converted(dtype, value.term.at(modes))});
  std::vector<int64_t> numbers(static_cast<size_t>(space.rows().size()));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return {computed, std::move(numbers)};
}

}  // namespace

SelectPtr members_of(const SelectPtr& query, const Relation& rows, Scope& scope,
                     QueryCompiler& compiler) {
  std::vector<Test> tests = tests_of(*query);
  std::vector<RelationColumn> columns{rows.columns.front()};
  columns[0].name = kMember;
  std::vector<std::string> texts{
      fmt::format("{} AS {}", sqlite_name(rows.columns.front().key), kMember)};
  for (const Test& test : tests) {
    columns.push_back({fmt::format("{}{}", kAsked, columns.size())});
    texts.push_back(sqlite_text(*test.operand) + " AS " + columns.back().name);
  }
  const RelationPtr members = with_equal_rows(
      compiler.make_relation(
          fmt::format("SELECT {} FROM {}", fmt::join(texts, ", "), sqlite_name(rows.table)),
          columns),
      {0}, compiler);
  const std::string table = sqlite_name(members->table);
  const auto column = [&](const std::string& name) {
    return make_expression(ColumnReference{Name{members->table, {}}, Name{name, {}}});
  };
  Select numbers;
  numbers.targets.push_back({column(kMember), std::nullopt});
  numbers.from.push_back(std::make_shared<const FromItem>(FromItem{
      TableReference{Name{members->table, {}}, {}, false}, std::nullopt, {}, query->span}));
  if (!tests.empty()) {
    std::vector<ExpressionPtr> equal;
    std::string keys;
    for (Test& test : tests) {
      const std::string& name = members->columns[equal.size() + 1].key;
      keys += name + ", ";
      test.operand = column(name);
      equal.push_back(make_expression(std::move(test)));
    }
    numbers.where = make_expression(Logical{Logical::Kind::all, std::move(equal)});
    compiler.connection().execute(fmt::format("CREATE INDEX temp.{} ON {}({}{})",
                                              sqlite_name(members->table + "_by_member"), table,
                                              keys, kMember));
  }
  auto made = std::make_shared<const Select>(std::move(numbers));
  scope.add_query(made, members);
  const bool has_members =
      compiler.connection().integer(fmt::format("SELECT count({}) FROM {}", kMember, table)) > 0;
  scope.add_set(made, {members, has_members});
  return made;
}

FoundMembers found_members(const RelationPtr& table, const Shape& grid, Level& level,
                           const Level::ComputedColumn& wanted, QueryCompiler& compiler) {
  RowSpace space(compiler.key_tables(), table->table, compiler.program(), grid);
  space.leave_out_nulls(wanted.value.reads);
  const TensorRows& all = *wanted.among->columns.front().tensor;
  const DType dtype = promote(wanted.value.term.type.dtype, all.element.dtype);
  const TensorRows among = converted(all, dtype, compiler.program());
  const Wanted looked_for = tensors_of(wanted.value, dtype, space, level);
  compiler.program().keep({among.name, looked_for.tensor.name}, compiler.control());
  ValueNumbers values;
  const size_t known = values.add_table(compiler.program().source(among.name), among);
  const size_t asked =
      values.add_table(compiler.program().source(looked_for.tensor.name), looked_for.tensor);
  const std::vector<int64_t> members = compiler.connection().integers(
      fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT NULL ORDER BY {0}", kMember,
                  sqlite_name(wanted.among->table)));
  for (const int64_t member : members) {
    values.number_of(known, member);
  }
  FoundMembers found{space.rows(), {}};
  for (const int64_t row : looked_for.numbers) {
    const std::optional<int64_t> number = values.find(asked, row);
    found.members.push_back(number ? members[static_cast<size_t>(*number)] : -1);
  }
  return found;
}

}  // namespace tessera::sql

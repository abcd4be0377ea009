#include "sql/computed_columns.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/sqlite_text.h"
#include "sql/membership.h"
#include "sql/numbers_in_order.h"
#include "sql/row_space.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// What runs for one column, and where its numbers come.
struct WantedColumn {
  const Level::ComputedColumn* wanted;
  TensorRows tensor;
  KeptRows rows;                 // of the table, those that have a number
  std::vector<int64_t> members;  // their numbers, of tensors that are looked for among others
};

/// What SQLite has in a column: the number of each row that has one, else NULL.
database::LentFunction numbers_by_row(const WantedColumn& column,
                                      const std::shared_ptr<const store::TileSource>& numbers,
                                      database::Connection& connection) {
  const auto in_order = numbers != nullptr ? std::make_shared<NumbersInOrder>(numbers) : nullptr;
  return {connection, [&column, in_order](const database::Value& rowid) -> database::Value {
            const std::optional<int64_t> place = column.rows.place_of(std::get<int64_t>(rowid) - 1);
            return !place                ? database::Value()
                   : in_order != nullptr ? in_order->at(*place)
                                         : column.members[static_cast<size_t>(*place)];
          }};
}

}  // namespace

RelationPtr add_computed_columns(const RelationPtr& table, const Shape& grid, Level& level,
                                 const std::vector<Level::ComputedColumn>& computed,
                                 const std::string& where, QueryCompiler& compiler) {
  std::vector<WantedColumn> columns;
  std::map<std::string, program::KeptFile> numbers;  // several may want the same
  std::map<std::string, store::TileSink*> sinks;
  for (const Level::ComputedColumn& wanted : computed) {
    const PlaceOfStatements place(compiler.program(), wanted.span);
    if (wanted.among != nullptr) {
      FoundMembers found = found_members(table, grid, level, wanted, compiler);
      columns.push_back({&wanted, {}, std::move(found.rows), std::move(found.members)});
      continue;
    }
    RowSpace space(compiler.key_tables(), table->table, compiler.program(), grid);
    space.leave_out_nulls(wanted.value.reads);
    if (space.num_rows() == 0) {  // nothing is computed, not even of no row
      columns.push_back({&wanted, {}, space.rows(), {}});
      continue;
    }
    FreshLabels labels = *wanted.value.labels;
    const Labels row_labels = labels.of(space.grid());
    level.stand_on(space, row_labels);
    WantedColumn column{&wanted, {}, space.rows(), {}};
    column.tensor = compiler.program().add(space.grid(), wanted.value.term.type,
                                           {left_of(row_labels), wanted.value.term.at(Labels{})});
    program::KeptFile& file = numbers[column.tensor.name];
    file = compiler.program().place_for_numbers(
        {column.tensor.element.dtype, {num_rows(column.tensor)}});
    sinks[column.tensor.name] = file.sink.get();
    columns.push_back(std::move(column));
  }
  if (!sinks.empty()) {
    compiler.program().run(sinks, compiler.control());
  }
  for (const auto& [name, file] : numbers) {
    file.sink->commit(store::Durability::process);
  }

  std::string text = "SELECT *";
  std::vector<database::LentFunction> functions;
  for (const WantedColumn& column : columns) {
    const auto found = numbers.find(column.tensor.name);
    functions.push_back(numbers_by_row(
        column, found == numbers.end() ? nullptr : found->second.source, compiler.connection()));
    text += fmt::format(", {} AS {}", functions.back().call("rowid"), column.wanted->column);
  }
  return compiler.make_relation(
      fmt::format("{} FROM {}{} ORDER BY rowid", text, sqlite_name(table->table), where));
}

}  // namespace tessera::sql

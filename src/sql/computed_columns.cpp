#include "sql/computed_columns.h"

#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/sqlite_text.h"
#include "sql/scalar_value.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// What runs for one column, and where its numbers come.
struct WantedColumn {
  const Level::ComputedColumn* wanted;
  TensorRows tensor;
  std::vector<int64_t> rows;  // of the table, those that have a number
};

}  // namespace

RelationPtr add_computed_columns(const RelationPtr& table, const Shape& grid, Level& level,
                                 const std::vector<Level::ComputedColumn>& computed,
                                 QueryCompiler& compiler) {
  std::vector<WantedColumn> columns;
  std::map<std::string, std::unique_ptr<store::MemoryTensor>> numbers;  // several may want the same
  std::map<std::string, store::TileSink*> sinks;
  for (const Level::ComputedColumn& wanted : computed) {
    RowSpace space(compiler.key_tables(), table->table, compiler.program(), grid);
    space.leave_out_nulls(wanted.value.reads);
    FreshLabels labels = *wanted.value.labels;
    const Labels row_labels = labels.of(space.grid());
    level.stand_on(space, row_labels);
    WantedColumn column{&wanted, {}, space.rows()};
    column.tensor = compiler.program().add(space.grid(), wanted.value.term.type, row_labels,
                                           text_of(wanted.value.term, {}), labels);
    std::unique_ptr<store::MemoryTensor>& tensor = numbers[column.tensor.name];
    tensor = std::make_unique<store::MemoryTensor>(
        ArrayType{column.tensor.element.dtype, {num_rows(column.tensor)}});
    sinks[column.tensor.name] = tensor.get();
    columns.push_back(std::move(column));
  }
  compiler.program().run(sinks, compiler.control());

  RelationPtr wider =
      compiler.make_relation("SELECT * FROM " + sqlite_name(table->table) + " ORDER BY rowid");
  for (const WantedColumn& column : columns) {
    compiler.connection().execute(fmt::format("ALTER TABLE temp.{} ADD COLUMN {}",
                                              sqlite_name(wider->table), column.wanted->column));
    database::Statement update = compiler.connection().prepare(
        fmt::format("UPDATE temp.{} SET {} = ? WHERE rowid = ?", sqlite_name(wider->table),
                    column.wanted->column));
    for (size_t place = 0; place < column.rows.size(); ++place) {
      update.bind(
          0, scalar_value(numbers.at(column.tensor.name)->view(), static_cast<int64_t>(place)));
      update.bind(1, column.rows[place] + 1);
      update.step();
      update.reset();
    }
  }
  return wider;
}

}  // namespace tessera::sql

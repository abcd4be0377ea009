#include "sql/product_numbers.h"

#include <map>
#include <utility>

#include "sql/product_space.h"

namespace tessera::sql {

namespace {

ProductSpace space_of(const std::vector<FactorTable>& tables, const std::vector<size_t>& places,
                      QueryCompiler& compiler) {
  std::vector<ProductSpace::Factor> factors;
  for (const size_t place : places) {
    const FactorTable& table = tables[place];
    factors.push_back(
        {RowSpace(compiler.key_tables(), table.table->table, compiler.program(), {table.num_rows}),
         table.columns});
  }
  return ProductSpace(std::move(factors));
}

}  // namespace

ProductNumbers::ProductNumbers(const std::vector<FactorTable>& tables, Level& level,
                               const std::vector<ProductNumber>& numbers, QueryCompiler& compiler) {
  for (const ProductNumber& number : numbers) {
    const PlaceOfStatements place(compiler.program(), number.computed.span);
    computed_.push_back(add(tables, level, number, compiler));
  }
  run(compiler);
}

ProductNumbers::Computed ProductNumbers::add(const std::vector<FactorTable>& tables, Level& level,
                                             const ProductNumber& number, QueryCompiler& compiler) {
  const TensorValue& value = number.computed.value;
  ProductSpace space = space_of(tables, number.tables, compiler);
  space.leave_out_nulls(value.reads);
  Computed made;
  for (size_t place = 0; place < number.tables.size(); ++place) {
    const size_t table = number.tables[place];
    made.rows.push_back({table, tables[table].num_rows, space.rows_of(place)});
  }
  if (space.num_rows() > 0) {  // else nothing is computed, not even of no row
    FreshLabels labels = *value.labels;
    const Labels row_labels = labels.of(space.grid());
    level.stand_on(space, row_labels);
    made.tensor =
        compiler.program()
            .add(space.grid(), value.term.type, {left_of(row_labels), value.term.at(Labels{})})
            .name;
  }
  return made;
}

void ProductNumbers::run(QueryCompiler& compiler) {
  std::map<std::string, program::KeptFile> files;  // several may want the same
  std::map<std::string, store::TileSink*> sinks;
  for (const Computed& column : computed_) {
    if (!column.tensor.empty() && files.count(column.tensor) == 0) {
      const ArrayType type = compiler.program().type_of_tensor(column.tensor);
      program::KeptFile& file = files[column.tensor];
      file = compiler.program().place_for_numbers({type.dtype, {num_elements(type.shape)}});
      sinks[column.tensor] = file.sink.get();
    }
  }
  if (!sinks.empty()) {
    compiler.program().run(sinks, compiler.control());
  }
  for (const auto& [name, file] : files) {
    file.sink->commit(store::Durability::process);
  }
  for (Computed& column : computed_) {
    if (!column.tensor.empty()) {
      column.numbers.emplace(files.at(column.tensor).source);
    }
  }
}

database::Value ProductNumbers::at(size_t number, std::span<const int64_t> rows) {
  Computed& computed = computed_[number];
  int64_t place = 0;
  for (const Rows& own : computed.rows) {
    const std::optional<int64_t> kept = own.kept.place_of(rows[own.table]);
    if (!kept) {
      return {};
    }
    place = place * own.kept.size() + *kept;
  }
  return computed.numbers->at(place);
}

database::Value ProductNumbers::at_place(size_t number, int64_t place) {
  const std::vector<Rows>& own = computed_[number].rows;
  std::vector<int64_t> rows(own.back().table + 1);
  for (auto table = own.rbegin(); table != own.rend(); ++table) {
    rows[table->table] = place % table->num_rows;
    place /= table->num_rows;
  }
  return at(number, rows);
}

}  // namespace tessera::sql

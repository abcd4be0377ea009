#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "database/sqlite.h"
#include "sql/kept_rows.h"
#include "sql/key_tables.h"
#include "sql/row_reader.h"
#include "sql/tensor_part.h"

namespace tessera::sql {

/// The rows of a key table, over which tensors are computed: one label, or one for each of the keys
/// that lay the rows out as a grid, row-major. What a column of row numbers reads is said by these
/// labels where it is arithmetic on them, and else by the numbers themselves. Numbers of more rows
/// than a small part of the memory budget holds go from SQLite to files without names.
class RowSpace : public RowReader {
 public:
  /// The rows of a table in the order in which SQLite made them. All outlive it.
  RowSpace(KeyTables& tables, std::string table, TensorProgram& program, Shape grid);

  const Shape& grid() const override { return grid_; }
  TensorProgram& program() const override { return program_; }

  /// Leaves out rows where one of these columns is NULL; gives whether there were any. The grid is
  /// then a single mode.
  bool leave_out_nulls(const std::vector<std::string>& columns);
  /// The rows of the table that are left.
  const KeptRows& rows() const { return rows_; }

  /// The numbers in a column of the rows that are left.
  const std::vector<int64_t>& numbers(const std::string& column) { return *shared_numbers(column); }

  program::Expression read(const TensorRows& tensor, const std::string& column,
                           const Labels& row_labels, const Expressions& indices) override;
  program::Expression read_numbers(const std::string& column, const Labels& row_labels) override;
  program::Expression read_positions(const std::string& column, int64_t extent,
                                     const std::string& tensor, const Labels& row_labels) override;
  program::Expression gathered(const std::string& column, const Labels& row_labels) override;
  std::optional<RowsLeft> rows_left(const std::vector<std::string>& columns) override;

  /// `R5[i_500]`: the place of each row among some of these rows; 0 for a row that is none of them.
  program::Expression places_among(const RowSpace& some, const Labels& row_labels);

  /// For each mode of a grid of rows, the mode of this one that counts it; nothing where the
  /// numbers are not so laid out.
  struct Digits {
    std::vector<size_t> modes;
    Shape extents;
  };
  std::optional<Digits> digits_of(const std::string& column, int64_t num_values);

 private:
  using Converts = std::function<int64_t(int64_t number)>;

  const KeyTables::Numbers& shared_numbers(const std::string& column);
  std::string column_text(const std::string& column) const;
  /// Calls `visit` with the number of each row that is left, until it gives false.
  void each_number(const std::string& column, const std::function<bool(int64_t number)>& visit);
  int64_t number_at(const std::string& column, int64_t place);
  bool has_nulls(const std::string& column);
  /// Returns the rows in which none of these columns is NULL.
  KeptRows rows_without_nulls(const std::vector<std::string>& columns);
  static program::Expression indexed(const std::string& vector, const Labels& row_labels);
  /// A vector of the program with what a function makes of a column's numbers; `name` tells it from
  /// others of this table.
  std::string vector_of(const std::string& name, const std::string& column,
                        const Converts& convert);

  KeyTables& tables_;
  std::string table_;
  TensorProgram& program_;
  Shape grid_;
  int64_t num_table_rows_;
  KeptRows rows_;
  bool has_all_rows_ = true;
  bool is_streamed_;      // whether numbers are read from SQLite each time
  std::string left_out_;  // the columns by whose NULLs rows are left out
  std::map<std::string, KeyTables::Numbers> numbers_;
  std::map<std::string, std::string> vectors_;  // names in the program
};

/// Finds the keys that lay the rows of a table out as a grid: as many rows as combinations of their
/// values, none twice. Of several keys whose values are equal in every row one is enough, so `keys`
/// has one of each such class.
std::optional<Shape> grid_of(database::Connection& connection, const std::string& table,
                             const std::vector<std::string>& keys);

}  // namespace tessera::sql

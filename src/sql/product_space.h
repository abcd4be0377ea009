#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sql/kept_rows.h"
#include "sql/row_reader.h"
#include "sql/row_space.h"

namespace tessera::sql {

/// The product of key tables: each row of one with each row of the others, those of the last table
/// fastest. Its grid has a mode for each table, so a column is read along one label and no table of
/// all rows is made.
class ProductSpace : public RowReader {
 public:
  struct Factor {
    RowSpace rows;                  // in one mode
    std::set<std::string> columns;  // no two factors have one of the same name
  };

  /// REQUIRES one factor or more.
  explicit ProductSpace(std::vector<Factor> factors);

  const Shape& grid() const override { return grid_; }
  TensorProgram& program() const override { return factors_.front().rows.program(); }

  /// Leaves out rows where one of these columns is NULL; gives whether there were any.
  bool leave_out_nulls(const std::vector<std::string>& columns);
  /// The rows of one table that are left.
  const KeptRows& rows_of(size_t factor) const { return factors_[factor].rows.rows(); }

  program::Expression read(const TensorRows& tensor, const std::string& column,
                           const Labels& row_labels, const Expressions& indices) override;
  program::Expression read_numbers(const std::string& column, const Labels& row_labels) override;
  program::Expression read_positions(const std::string& column, int64_t extent,
                                     const std::string& tensor, const Labels& row_labels) override;
  program::Expression gathered(const std::string& column, const Labels& row_labels) override;
  std::optional<RowsLeft> rows_left(const std::vector<std::string>& columns) override;

 private:
  /// The number of the factor that has a column.
  size_t factor_of(const std::string& column) const;
  void find_grid();

  std::vector<Factor> factors_;
  Shape grid_;
};

}  // namespace tessera::sql

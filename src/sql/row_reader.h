#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/tensor_part.h"

namespace tessera::sql {

/// A reader of tensors along rows: it gives expressions of what the columns of a key table have in
/// each row. The rows have one label for each mode of their grid.
class RowReader {
 public:
  virtual ~RowReader() = default;

  virtual const Shape& grid() const = 0;
  int64_t num_rows() const { return num_elements(grid()); }
  virtual TensorProgram& program() const = 0;

  /// `S1[i_2,R3[j_4],k_5]`: a tensor at the rows that a column says.
  virtual program::Expression read(const TensorRows& tensor, const std::string& column,
                                   const Labels& row_labels, const Expressions& indices) = 0;
  /// `V5[i_500]`: the numbers in a column, as f64.
  virtual program::Expression read_numbers(const std::string& column, const Labels& row_labels) = 0;
  /// `R5[i_500]`: the subscripts in a column, which count the positions of a mode from 1, as
  /// positions from 0. Errors: `user`, naming the extent and the tensor, where one is no whole
  /// number or outside.
  virtual program::Expression read_positions(const std::string& column, int64_t extent,
                                             const std::string& tensor,
                                             const Labels& row_labels) = 0;
  /// The row numbers in a column, as a vector of the program along the rows.
  virtual program::Expression gathered(const std::string& column, const Labels& row_labels) = 0;

  /// Some of the rows.
  struct RowsLeft {
    std::shared_ptr<RowReader> rows;
    /// Gives the place of each of all rows among these: an index for each mode of their grid, 0 for
    /// a row that is none of them. REQUIRES that all rows are still there.
    std::function<Expressions(const Labels& row_labels)> places;
  };
  /// Returns the rows in which none of these columns is NULL; nothing if that leaves none out.
  virtual std::optional<RowsLeft> rows_left(const std::vector<std::string>& columns) = 0;
};

}  // namespace tessera::sql

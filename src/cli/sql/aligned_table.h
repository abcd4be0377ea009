#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// The text of a table at a row and a column, its lines below each other.
struct Cell {
  std::vector<std::string> lines;
  bool is_number = false;  // numbers are aligned on the right

  /// Makes a cell of a text that may have several lines.
  static Cell of(const std::string& text, bool is_number = false);
};

struct AlignedTable {
  std::string title;  // empty for none
  std::vector<std::string> heads;
  std::vector<std::vector<Cell>> rows;
};

/// Formats a table as psql does: columns of equal width below their heads, without a last line for
/// the number of rows.
std::string aligned_text(const AlignedTable& table);

/// Formats a table with a line for each column of each row, like `\x` of psql.
std::string expanded_text(const AlignedTable& table);

}  // namespace tessera::cli

#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// What stands where a row and a column meet, its lines below each other.
struct Cell {
  std::vector<std::string> lines;
  bool is_number = false;  // these end together

  /// Of a text that may have several lines.
  static Cell of(const std::string& text, bool is_number = false);
};

struct AlignedTable {
  std::string title;  // empty for none
  std::vector<std::string> heads;
  std::vector<std::vector<Cell>> rows;
};

/// The table as psql writes it: columns of equal width below their heads, without a last line that
/// says how many rows there are.
std::string aligned_text(const AlignedTable& table);

/// The same with a line for each column of each row, `\x` of psql.
std::string expanded_text(const AlignedTable& table);

}  // namespace tessera::cli

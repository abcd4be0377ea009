#include "base/table.h"

#include <algorithm>

#include <fmt/core.h>

namespace tessera {

std::string table_text(const std::vector<Row>& rows, Columns between) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}", row.front(), widths.front());
    for (size_t column = 1; column + 1 < row.size(); ++column) {
      text += between == Columns::amounts ? fmt::format("  {:>{}}", row[column], widths[column])
                                          : fmt::format("  {:<{}}", row[column], widths[column]);
    }
    text += fmt::format("  {}\n", row.back());
  }
  return text;
}

}  // namespace tessera

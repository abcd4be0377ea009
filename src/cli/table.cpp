#include "cli/table.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace tessera::cli {

std::string table_text(const std::vector<Row>& rows) {
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
      text += fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += fmt::format("  {}\n", row.back());
  }
  return text;
}

std::string seconds_text(double seconds) {
  return seconds >= 1      ? fmt::format("{:.2f} s", seconds)
         : seconds >= 1e-3 ? fmt::format("{:.2f} ms", 1e3 * seconds)
                           : fmt::format("{:.1f} us", 1e6 * seconds);
}

std::string count_text(double count) {
  for (const auto& [unit, name] : {std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (count >= unit) {
      return fmt::format("{:.3g} {}", count / unit, name);
    }
  }
  return fmt::format("{:.3g}", count);
}

}  // namespace tessera::cli

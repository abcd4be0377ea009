#include "ir/tra/text_grid.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::tra {

namespace {

using expr::Scanner;

ModeGrid read_uniform_grid(Scanner& scanner) {
  const int64_t begin = scanner.position();
  const int64_t first = scanner.integer();
  const bool is_count = scanner.accept("x");
  if (!is_count) {
    scanner.expect("/");
  }
  const int64_t length = scanner.integer();
  const bool fits = is_count ? first >= 1 && first <= kMostPieces && length >= 0 &&
                                   (length == 0 || first <= INT64_MAX / length)
                             : length >= 1 && first >= 0 && first / length < kMostPieces;
  if (!fits) {
    scanner.fail(scanner.since(begin), "this is no way to cut a mode",
                 "pieces x length, as 2x64; or extent / length, as 100/64");
  }
  if (!is_count) {
    return cut_every(first, length);
  }
  ModeGrid grid{{0}};
  for (int64_t piece = 1; piece <= first; ++piece) {
    grid.cuts.push_back(piece * length);
  }
  return grid;
}

}  // namespace

std::string grid_text(const ModeGrid& grid) {
  const bool is_cut = grid.cuts.size() >= 2 && grid.cuts.front() == 0;
  const int64_t length = is_cut ? grid.cuts[1] : 0;
  if (is_cut && length >= 0 && uniform_length(grid) == length &&
      length * grid.num_pieces() == grid.extent()) {
    return fmt::format("{}x{}", grid.num_pieces(), length);
  }
  if (length > 0 && grid.extent() / length < static_cast<int64_t>(grid.cuts.size()) &&
      cut_every(grid.extent(), length) == grid) {
    return fmt::format("{}/{}", grid.extent(), length);
  }
  return fmt::format("[{}]", fmt::join(grid.cuts, ","));
}

ModeGrid read_grid(Scanner& scanner) {
  if (!scanner.accept("[")) {
    return read_uniform_grid(scanner);
  }
  ModeGrid grid{{}};
  while (!scanner.accept("]")) {
    if (!grid.cuts.empty()) {
      scanner.expect(",");
    }
    grid.cuts.push_back(scanner.integer());
  }
  if (grid.cuts.empty()) {
    scanner.fail_expected("cuts, as [0,10,100]");
  }
  return grid;
}

std::string windows_text(const WindowGrid& grid) {
  std::vector<std::string> windows;
  for (int64_t window = 0; window < grid.num_pieces(); ++window) {
    windows.push_back(
        fmt::format("{}:{}", grid.begin(window), grid.begin(window) + grid.length(window)));
  }
  return fmt::format("windows[{}]", fmt::join(windows, ","));
}

WindowGrid read_windows(Scanner& scanner) {
  WindowGrid grid;
  scanner.expect("[");
  while (!scanner.accept("]")) {
    if (!grid.begins.empty()) {
      scanner.expect(",");
    }
    grid.begins.push_back(scanner.integer());
    scanner.expect(":");
    grid.ends.push_back(scanner.integer());
  }
  return grid;
}

}  // namespace tessera::tra

#include "types/grid.h"

#include <algorithm>

#include "base/error.h"

namespace tessera {

ModeGrid uncut(int64_t extent) {
  return {{0, extent}};
}

ModeGrid cut_every(int64_t extent, int64_t piece_length) {
  TESSERA_CHECK(piece_length > 0, "a piece has length {}", piece_length);
  TESSERA_USER_CHECK(extent / piece_length < kMostPieces,
                     "{} in pieces of {} are more than {} pieces; cut into larger ones", extent,
                     piece_length, kMostPieces);
  ModeGrid grid{{0}};
  while (extent - grid.cuts.back() > piece_length) {
    grid.cuts.push_back(grid.cuts.back() + piece_length);
  }
  grid.cuts.push_back(extent);
  return grid;
}

ModeGrid common_refinement(const ModeGrid& a, const ModeGrid& b) {
  TESSERA_CHECK(a.extent() == b.extent(), "grids of extents {} and {} have no common refinement",
                a.extent(), b.extent());
  if (a.extent() == 0) {
    return uncut(0);
  }
  ModeGrid grid{{}};
  std::set_union(a.cuts.begin(), a.cuts.end(), b.cuts.begin(), b.cuts.end(),
                 std::back_inserter(grid.cuts));
  return grid;
}

bool refines(const ModeGrid& fine, const ModeGrid& coarse) {
  return &fine == &coarse ||
         std::includes(fine.cuts.begin(), fine.cuts.end(), coarse.cuts.begin(), coarse.cuts.end());
}

ModeGrid common_refinement(const ModeGrid& grid, const WindowGrid& windows) {
  ModeGrid fine = grid;
  fine.cuts.insert(fine.cuts.end(), windows.begins.begin(), windows.begins.end());
  fine.cuts.insert(fine.cuts.end(), windows.ends.begin(), windows.ends.end());
  std::sort(fine.cuts.begin(), fine.cuts.end());
  fine.cuts.erase(std::unique(fine.cuts.begin(), fine.cuts.end()), fine.cuts.end());
  return grid.extent() == 0 ? grid : fine;
}

bool refines(const ModeGrid& fine, const WindowGrid& windows) {
  const auto is_cut = [&](int64_t position) {
    return std::binary_search(fine.cuts.begin(), fine.cuts.end(), position);
  };
  return std::all_of(windows.begins.begin(), windows.begins.end(), is_cut) &&
         std::all_of(windows.ends.begin(), windows.ends.end(), is_cut);
}

bool refines(const WindowGrid& windows, const ModeGrid& coarse) {
  for (int64_t window = 0; window < windows.num_pieces(); ++window) {
    const int64_t piece = piece_at(coarse, windows.begin(window));
    if (windows.begin(window) + windows.length(window) >
        coarse.begin(piece) + coarse.length(piece)) {
      return false;
    }
  }
  return true;
}

int64_t piece_at(const ModeGrid& grid, int64_t position) {
  if (grid.extent() == 0) {
    return 0;
  }
  const auto after = std::upper_bound(grid.cuts.begin(), grid.cuts.end(), position);
  return static_cast<int64_t>(after - grid.cuts.begin()) - 1;
}

int64_t uniform_length(const ModeGrid& grid) {
  for (int64_t piece = 1; piece < grid.num_pieces(); ++piece) {
    if (grid.length(piece) != grid.length(0)) {
      return -1;
    }
  }
  return grid.length(0);
}

}  // namespace tessera

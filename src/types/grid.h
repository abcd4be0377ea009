#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// The cuts of one mode into pieces: piece k is [cuts[k], cuts[k+1]).
///
/// `cuts` rises from 0 to the extent and has one entry more than there are pieces. Pieces may
/// differ in length (a ragged grid cuts its last one short). A mode of extent 0 has one empty
/// piece.
struct ModeGrid {
  std::vector<int64_t> cuts = {0, 0};

  int64_t extent() const { return cuts.back(); }
  int64_t num_pieces() const { return static_cast<int64_t>(cuts.size()) - 1; }
  int64_t begin(int64_t piece) const { return cuts[static_cast<size_t>(piece)]; }
  int64_t length(int64_t piece) const {
    return cuts[static_cast<size_t>(piece) + 1] - begin(piece);
  }
  friend bool operator==(const ModeGrid&, const ModeGrid&) = default;
};

/// The windows in which a mode is read, which may overlap and may leave out some of it: window k is
/// [begins[k], ends[k]). They need not rise.
struct WindowGrid {
  std::vector<int64_t> begins;
  std::vector<int64_t> ends;

  int64_t num_pieces() const { return static_cast<int64_t>(begins.size()); }
  int64_t begin(int64_t window) const { return begins[static_cast<size_t>(window)]; }
  int64_t length(int64_t window) const { return ends[static_cast<size_t>(window)] - begin(window); }
  friend bool operator==(const WindowGrid&, const WindowGrid&) = default;
};

/// Returns one piece: the mode is not cut.
ModeGrid uncut(int64_t extent);

/// The most pieces of a mode: the cuts of more would fill the memory.
constexpr int64_t kMostPieces = int64_t{1} << 24;

/// Returns pieces of `piece_length`, the last one shorter if it does not divide the extent.
/// REQUIRES piece_length > 0. Errors: `user` for more than kMostPieces.
ModeGrid cut_every(int64_t extent, int64_t piece_length);

/// Returns the coarsest grid that has every cut of both. REQUIRES equal extents.
ModeGrid common_refinement(const ModeGrid& a, const ModeGrid& b);

/// True if every cut of `coarse` is a cut of `fine`.
bool refines(const ModeGrid& fine, const ModeGrid& coarse);

/// Returns the coarsest grid that has every cut of a grid and a cut wherever a window begins or
/// ends. REQUIRES windows within the grid.
ModeGrid common_refinement(const ModeGrid& grid, const WindowGrid& windows);

/// True if a grid has a cut wherever a window begins or ends.
bool refines(const ModeGrid& fine, const WindowGrid& windows);

/// True if every window lies in one piece of the grid.
bool refines(const WindowGrid& windows, const ModeGrid& coarse);

/// Returns the piece that holds a position. REQUIRES 0 <= position < extent, or position 0 of an
/// empty mode.
int64_t piece_at(const ModeGrid& grid, int64_t position);

/// Returns the length of every piece if all are equal, else -1.
int64_t uniform_length(const ModeGrid& grid);

}  // namespace tessera

#include "kernels/cpu/walk/streamed_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <emmintrin.h>

#include "kernels/cpu/walk/copy_tile.h"
#include "kernels/cpu/walk/direct_copy.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/isa/transpose_table.h"

namespace tessera::kernels {

namespace {

/// Rows written along neighbours of at least this many bytes need no tile.
constexpr int64_t kLongRow = 512;
constexpr int64_t kMostRows = 64;  // of a panel
constexpr int64_t kShortestRunOfTuples = 4;

using Positions = std::array<int64_t, StridedBox::kMaxDims>;

/// Returns the panels with most rows that a tile has room for; null if it has for none.
const TransposeEntry* panels_of(const TransposeCode& code, const CopyTile& tile, int64_t unit) {
  for (const TransposeEntry& entry : code.panels) {
    if (entry.unit == unit && tile.reads_neighbours() && tile.side_by_side() >= entry.side &&
        tile.along().count >= entry.side) {
      return &entry;
    }
  }
  return nullptr;
}

/// Loads a tile into its buffer in panels.
void load_panels(const CopyTile& tile, const std::byte* from, const TransposeEntry& panels) {
  const TilePlaces& across = tile.across();
  const int64_t beside = tile.side_by_side();
  std::array<const std::byte*, kMostRows> rows;
  for (int64_t first = 0; first < across.count; first += beside) {
    for (int64_t column = 0; column < beside; column += panels.side) {
      // The last panel may overlap the one before.
      const int64_t at = first + std::min(column, beside - panels.side);
      for (int64_t row = 0; row < panels.side; ++row) {
        rows[static_cast<size_t>(row)] = from + across.memory[at + row];
      }
      panels.transpose(rows.data(), tile.along().count, tile.buffer() + across.buffer[at],
                       tile.along().buffer);
    }
  }
}

/// Counts the places, from the first on, that are equally far apart. They are places of a box, so
/// groups of this many behind them are too.
int64_t places_in_step(const TilePlaces& places, int64_t memory, int64_t buffer) {
  int64_t count = 1;
  while (count < places.count && places.memory[count] == count * memory &&
         places.buffer[count] == count * buffer) {
    ++count;
  }
  return count;
}

/// Tuples of a few elements in a numbered tile: either those along, which are separated, or those
/// that are contiguous in the buffer, which are brought together. `run` of them follow each other.
struct Tuples {
  const InterleaveEntry* code = nullptr;  // null if there are none
  bool are_along = false;
  int64_t run = 0;
};

Tuples tuples_in(const CopyTile& tile, int64_t unit, const TransposeCode& code) {
  for (const InterleaveEntry& entry : code.interleaves) {
    const bool are_along = tile.reads_neighbours() && tile.along().count == entry.ways;
    if (entry.unit != unit || (!are_along && tile.side_by_side() != entry.ways)) {
      continue;
    }
    const int64_t bytes = entry.ways * unit;
    const int64_t run = are_along ? places_in_step(tile.across(), bytes, unit)
                                  : places_in_step(tile.along(), unit, bytes);
    if (run >= kShortestRunOfTuples) {
      return {&entry, are_along, run};
    }
  }
  return {};
}

void split_tuples(const CopyTile& tile, const std::byte* from, const Tuples& tuples) {
  const TilePlaces& along = tile.along();
  const TilePlaces& across = tile.across();
  std::array<std::byte*, kMostWays> targets;
  for (int64_t first = 0; first < across.count; first += tuples.run) {
    for (int64_t way = 0; way < tuples.code->ways; ++way) {
      targets[static_cast<size_t>(way)] = tile.buffer() + across.buffer[first] + along.buffer[way];
    }
    tuples.code->split(from + across.memory[first], tuples.run, targets.data());
  }
}

void join_tuples(const CopyTile& tile, const std::byte* from, const Tuples& tuples) {
  const TilePlaces& along = tile.along();
  const TilePlaces& across = tile.across();
  const int64_t ways = tuples.code->ways;
  std::array<const std::byte*, kMostWays> sources;
  for (int64_t first = 0; first < across.count; first += ways) {
    for (int64_t place = 0; place < along.count; place += tuples.run) {
      for (int64_t way = 0; way < ways; ++way) {
        sources[static_cast<size_t>(way)] = from + across.memory[first + way] + along.memory[place];
      }
      tuples.code->join(sources.data(), tuples.run,
                        tile.buffer() + across.buffer[first] + along.buffer[place]);
    }
  }
}

/// Loads a tile into its buffer by a function that moves one element.
template <class Move>
void load_elements(const CopyTile& tile, const std::byte* from, const Move& move) {
  const bool is_longer_along = tile.along().count > tile.across().count;
  const TilePlaces& outer = is_longer_along ? tile.across() : tile.along();
  const TilePlaces& inner = is_longer_along ? tile.along() : tile.across();
  for (int64_t row = 0; row < outer.count; ++row) {
    const std::byte* const source = from + outer.memory[row];
    std::byte* const target = tile.buffer() + outer.buffer[row];
    const int64_t* const sources = inner.memory;
    const int64_t* const targets = inner.buffer;
    const int64_t count = inner.count;
    for (int64_t place = 0; place < count; ++place) {
      move(source + sources[place], target + targets[place]);
    }
  }
}

template <int64_t kUnit>
void load_sized(const CopyTile& tile, const std::byte* from) {
  load_elements(tile, from, [](const std::byte* source, std::byte* target) {
    std::memcpy(target, source, static_cast<size_t>(kUnit));
  });
}

/// Loads elements of other sizes, by pieces of which the last overlaps the one before. REQUIRES
/// unit >= kPiece.
template <int64_t kPiece>
void load_pieces(const CopyTile& tile, const std::byte* from, int64_t unit) {
  load_elements(tile, from, [=](const std::byte* source, std::byte* target) {
    for (int64_t byte = 0; byte < unit; byte += kPiece) {
      const int64_t at = std::min(byte, unit - kPiece);
      std::memcpy(target + at, source + at, static_cast<size_t>(kPiece));
    }
  });
}

void load_one_by_one(const CopyTile& tile, const std::byte* from, int64_t unit) {
  switch (unit) {
    case 1:
      return load_sized<1>(tile, from);
    case 2:
      return load_sized<2>(tile, from);
    case 4:
      return load_sized<4>(tile, from);
    case 8:
      return load_sized<8>(tile, from);
    case 16:
      return load_sized<16>(tile, from);
    case 3:
      return load_pieces<2>(tile, from, unit);
    case 5:
    case 6:
    case 7:
      return load_pieces<4>(tile, from, unit);
    default:
      return unit < 16 ? load_pieces<8>(tile, from, unit) : load_pieces<16>(tile, from, unit);
  }
}

/// Loads a tile into its buffer.
void load(const CopyTile& tile, const std::byte* from, int64_t unit, const Tuples& tuples,
          const TransposeCode& code) {
  if (tuples.code != nullptr) {
    tuples.are_along ? split_tuples(tile, from, tuples) : join_tuples(tile, from, tuples);
  } else if (const TransposeEntry* const panels = panels_of(code, tile, unit)) {
    load_panels(tile, from, *panels);
  } else {
    load_one_by_one(tile, from, unit);
  }
}

/// The position of a walk over the tiles of a box. Tiles follow each other along the read
/// neighbours, then in the order of the target.
class TileWalk {
 public:
  TileWalk(const StridedBox& box, const CopyTile& tile) : box_(box) {
    std::fill_n(position_.begin(), box.num_dims, 0);
    for (const bool along : {true, false}) {
      for (size_t dim = 0; dim < static_cast<size_t>(box.num_dims); ++dim) {
        step_[dim] = tile.step(dim);
        reach_[dim] = tile.extent(dim);
        if (tile.is_along(dim) == along) {
          order_[num_ordered_++] = dim;
        }
      }
    }
  }

  /// Returns the positions of the current tile.
  void look(Positions& extent) const {
    for (size_t dim = 0; dim < static_cast<size_t>(box_.num_dims); ++dim) {
      extent[dim] = std::min(reach_[dim], box_.extent[dim] - position_[dim]);
    }
  }

  const Positions& position() const { return position_; }

  /// Goes to the next tile. Returns false after the last, back at the first.
  bool advance(const std::byte*& from, std::byte*& to) {
    for (size_t number = 0; number < num_ordered_; ++number) {
      const size_t dim = order_[number];
      const bool goes_on = position_[dim] + step_[dim] < box_.extent[dim];
      const int64_t moved = goes_on ? step_[dim] : -position_[dim];
      position_[dim] += moved;
      from += moved * box_.read_step[dim];
      to += moved * box_.write_step[dim];
      if (goes_on) {
        return true;
      }
    }
    return false;
  }

 private:
  const StridedBox& box_;
  Positions position_, step_, reach_;
  std::array<size_t, StridedBox::kMaxDims> order_;
  size_t num_ordered_ = 0;
};

void move_tiles(const std::byte* from, std::byte* to, int64_t unit, const StridedBox& box,
                CopyTile& tile, const TransposeCode& code, WriteRuns write) {
  TileWalk walk(box, tile);
  Positions extent, numbered;
  Tuples tuples;
  std::fill_n(numbered.begin(), box.num_dims, 0);
  for (bool goes_on = true; goes_on;) {
    walk.look(extent);
    if (!std::equal(extent.begin(), extent.begin() + box.num_dims, numbered.begin())) {
      tile.number(extent);
      tuples = tuples_in(tile, unit, code);
      numbered = extent;
    }
    load(tile, from, unit, tuples, code);
    std::byte* const target = to;
    const RunBytes runs = tile.run_bytes(walk.position());
    goes_on = walk.advance(from, to);
    write(tile.buffer(), target, tile.written(), runs, from, tile.fetched());
  }
}

/// Makes elements of rows that are contiguous on both sides. Returns their bytes.
int64_t widen(StridedBox& box, int64_t unit) {
  if (box.read_step[0] != unit || box.write_step[0] != unit) {
    return unit;
  }
  const int64_t wide = box.extent[0] * unit;
  if (box.num_dims == 1) {
    box.extent[0] = 1;
    return wide;
  }
  --box.num_dims;
  for (size_t dim = 0; dim < static_cast<size_t>(box.num_dims); ++dim) {
    box.extent[dim] = box.extent[dim + 1];
    box.read_step[dim] = box.read_step[dim + 1];
    box.write_step[dim] = box.write_step[dim + 1];
  }
  return wide;
}

/// True if copies that fit the caches are still written past them. On bench/limits, permutations in
/// tiles of 2 to 8 MiB, that takes 0.7 to 1 times as long on a Zen 4, and 1 to 2.2 times on a Xeon
/// (2026-11).
bool streams_always() {
  return __builtin_cpu_is("intel") == 0;
}

}  // namespace

int64_t stream_workspace_bytes() {
  return std::max(CopyTile::workspace_bytes(), kPieceBytes);
}

void stream_box(const std::byte* from, std::byte* to, int64_t element_size, StridedBox box, Isa isa,
                std::byte* workspace, Fitting fitting) noexcept {
  StridedBox sorted = box;
  if (sorted.num_dims == 0 || sorted.is_empty()) {
    return copy_box(from, to, element_size, box);
  }
  sorted.sort_and_merge();
  const int64_t unit = widen(sorted, element_size);
  const TransposeCode code = transpose_code(isa);
  const bool fits = fitting == Fitting::caches;
  const bool streams = !fits || streams_always();
  CopyTile tile;
  if (unit >= kShortestBlockRow) {
    move_rows_in_blocks(from, to, unit, sorted, streams ? code.stream : nullptr);
  } else if (fits && move_panels(from, to, unit, sorted, code)) {
    // all is moved
  } else if (tile.choose(sorted, unit, to, workspace)) {
    move_tiles(from, to, unit, sorted, tile, code, streams ? code.stream_runs : code.store_runs);
  } else if (streams && unit == element_size && sorted.write_step[0] == unit &&
             sorted.extent[0] * unit >= kLongRow) {
    stream_rows_in_pieces(from, to, unit, sorted, workspace, code.stream);
  } else {
    copy_box(from, to, element_size, box);
  }
  if (streams) {
    _mm_sfence();
  }
}

}  // namespace tessera::kernels

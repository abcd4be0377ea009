#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/isa/best_position_table.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/column_walk.h"
#include "kernels/workspace.h"

/// The best elements of columns and rows, by integers of the elements' size that have their order:
/// plain loops that compilers vectorise. Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

/// The element type of integers, which are their own keys.
template <class T>
struct Whole {
  using Stored = T;
  using Key = T;
  static constexpr DType kType = kDType<T>;
  template <bool kLargest>
  static Key key(Stored value) {
    return value;
  }
  static Stored value(Key key) { return key; }
};

/// The element type of truths: any byte but 0 is true.
struct Truth {
  using Stored = uint8_t;
  using Key = uint8_t;
  static constexpr DType kType = DType::b1;
  template <bool kLargest>
  static Key key(Stored value) {
    return static_cast<Key>(-static_cast<int8_t>(value != 0));  // by bits: 255 is true
  }
  static Stored value(Key key) { return key & 1U; }
};

/// The element type of floating-point numbers, by their bits: the magnitude with the sign; a NaN is
/// better than the infinity of that sign, whose bits are given.
template <class Integer, DType kOf, Integer kInfinity>
struct Floating {
  using Stored = Integer;
  using Key = Integer;
  static constexpr DType kType = kOf;
  static constexpr Integer kMost = std::numeric_limits<Integer>::max();
  template <bool kLargest>
  static Key key(Stored bits) {
    constexpr auto kNan = static_cast<Integer>(kLargest ? kMost : -kMost);
    const auto magnitude = static_cast<Integer>(bits & kMost);
    const auto number = static_cast<Integer>(bits < 0 ? -magnitude : magnitude);
    // By bits, because a branch would keep the compiler from vectorising.
    const auto is_nan = static_cast<Integer>(-static_cast<Integer>(magnitude > kInfinity));
    return static_cast<Integer>((number & ~is_nan) | (kNan & is_nan));
  }
  static Stored value(Key key) {
    return static_cast<Integer>(key < 0 ? std::numeric_limits<Integer>::min() | -key : key);
  }
};

template <bool kLargest, class Element>
struct BestOf {
  using Stored = typename Element::Stored;
  using Key = typename Element::Key;
  /// Row numbers of columns, of the keys' size, so that vectors of both have as many.
  using Row = std::make_unsigned_t<Key>;
  static constexpr auto kMostRows =
      static_cast<int64_t>(std::min<uint64_t>(std::numeric_limits<Row>::max(), 1U << 30U));
  static constexpr int64_t kRowsAtOnce = 8;
  static constexpr int64_t kPiece = (int64_t{16} << 10) / static_cast<int64_t>(sizeof(Stored));

  static Key key(Stored value) { return Element::template key<kLargest>(value); }
  static bool is_better(Key one, Key other) { return kLargest ? one > other : one < other; }

  static void columns(const BestPart& part, std::byte* workspace) noexcept {
    auto* const keys = reinterpret_cast<Key*>(workspace);
    auto* const places = reinterpret_cast<Row*>(
        workspace + aligned_bytes(part.count * static_cast<int64_t>(sizeof(Key))));
    BestPart group = part;
    for (int64_t first = 0; first < part.rows; first += kMostRows) {
      group.rows = std::min(kMostRows, part.rows - first);
      group.elements = static_cast<const std::byte*>(part.elements) + first * part.row_step;
      group.position = part.position + first;
      find_in_columns(group, keys, places);
      group.continues ? merge_columns(group, keys, places) : store_columns(group, keys, places);
      group.continues = true;
    }
  }

  /// Finds the best of a row. Pieces that are no better than the best so far are read once.
  static void row(const BestPart& part) noexcept {
    const auto* const elements = static_cast<const Stored*>(part.elements);
    Key best = part.continues ? key(*static_cast<const Stored*>(part.values)) : key(elements[0]);
    int64_t position = part.continues ? *part.positions : part.position;
    for (int64_t first = 0; first < part.count; first += kPiece) {
      const int64_t count = std::min(kPiece, part.count - first);
      const Key found = best_key(elements + first, count);
      const bool may_be_first = found == best && part.position + first < position;
      if (is_better(found, best) || may_be_first) {
        const int64_t place = part.position + first + place_of(elements + first, count, found);
        position = is_better(found, best) ? place : std::min(place, position);
        best = found;
      }
    }
    *static_cast<Stored*>(part.values) = Element::value(best);
    *part.positions = position;
  }

 private:
  template <size_t... kRow>
  static void merge_rows(const std::byte* from, int64_t step, int64_t first, int64_t count,
                         Key* __restrict keys, Row* __restrict places,
                         std::index_sequence<kRow...> /*rows*/) {
    const Stored* const rows[] = {
        reinterpret_cast<const Stored*>(from + static_cast<int64_t>(kRow) * step)...};
    const auto number = static_cast<Row>(first);
#pragma GCC ivdep
    for (int64_t column = 0; column < count; ++column) {
      Key best = keys[column];
      Row place = places[column];
      const auto merge = [&](Key next, Row row) {
        place = is_better(next, best) ? row : place;
        best = is_better(next, best) ? next : best;
      };
      (merge(key(rows[kRow][column]), static_cast<Row>(number + kRow)), ...);
      keys[column] = best;
      places[column] = place;
    }
  }

  /// Merges strips of the columns. The next elements of every row are prefetched into the second
  /// cache, like in a fold of columns.
  template <size_t... kRow>
  static void merge_strips(const std::byte* from, int64_t step, int64_t first, int64_t count,
                           Key* keys, Row* places, std::index_sequence<kRow...> rows) {
    constexpr int64_t kStripBytes = 512;
    constexpr auto kStrip = kStripBytes / static_cast<int64_t>(sizeof(Stored));
    for (int64_t column = 0; column < count; column += kStrip, from += kStripBytes) {
      (fetch_next(reinterpret_cast<const Stored*>(from + static_cast<int64_t>(kRow) * step),
                  kStrip),
       ...);
      merge_rows(from, step, first, std::min(kStrip, count - column), keys + column,
                 places + column, rows);
    }
  }

  static void find_in_columns(const BestPart& part, Key* keys, Row* places) {
    const auto* from = static_cast<const std::byte*>(part.elements);
    for (int64_t column = 0; column < part.count; ++column) {
      keys[column] = key(reinterpret_cast<const Stored*>(from)[column]);
      places[column] = 0;
    }
    int64_t row = 0;
    for (; row + kRowsAtOnce <= part.rows;
         row += kRowsAtOnce, from += kRowsAtOnce * part.row_step) {
      merge_strips(from, part.row_step, row, part.count, keys, places,
                   std::make_index_sequence<kRowsAtOnce>{});
    }
    for (; row < part.rows; ++row, from += part.row_step) {
      merge_rows(from, part.row_step, row, part.count, keys, places, std::index_sequence<0>{});
    }
  }

  static void store_columns(const BestPart& part, const Key* keys, const Row* places) {
    auto* const values = static_cast<Stored*>(part.values);
    for (int64_t column = 0; column < part.count; ++column) {
      values[column] = Element::value(keys[column]);
      part.positions[column] = part.position + static_cast<int64_t>(places[column]);
    }
  }

  static void merge_columns(const BestPart& part, const Key* keys, const Row* places) {
    auto* const values = static_cast<Stored*>(part.values);
    for (int64_t column = 0; column < part.count; ++column) {
      const Key held = key(values[column]);
      const Key found = keys[column];
      const int64_t place = part.position + static_cast<int64_t>(places[column]);
      const bool comes_first =
          is_better(found, held) || (found == held && place < part.positions[column]);
      values[column] = comes_first ? Element::value(found) : values[column];
      part.positions[column] = comes_first ? place : part.positions[column];
    }
  }

  static Key best_key(const Stored* elements, int64_t count) {
    Key best = key(elements[0]);
    for (int64_t e = 1; e < count; ++e) {
      const Key next = key(elements[e]);
      best = is_better(next, best) ? next : best;
    }
    return best;
  }

  /// Returns the first place of a key. REQUIRES that there is one.
  static int64_t place_of(const Stored* elements, int64_t count, Key wanted) {
    constexpr auto kLanes = static_cast<int64_t>(256 / sizeof(Stored));
    int64_t place = 0;
    for (; place + kLanes <= count; place += kLanes) {
      Row is_here = 0;
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        is_here |= static_cast<Row>(key(elements[place + lane]) == wanted);
      }
      if (is_here != 0) {
        break;
      }
    }
    while (key(elements[place]) != wanted) {
      ++place;
    }
    return place;
  }
};

template <bool kLargest, class Element>
constexpr BestPositionEntry best_entry() {
  using Best = BestOf<kLargest, Element>;
  return {Element::kType, kLargest, &Best::columns, &Best::row};
}

template <class... Elements>
constexpr std::array<BestPositionEntry, 2 * sizeof...(Elements)> best_entries() {
  return {best_entry<true, Elements>()..., best_entry<false, Elements>()...};
}

}  // namespace tessera::kernels::TESSERA_ISA

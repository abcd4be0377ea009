#include "kernels/cpu/staged/gather_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "kernels/cpu/staged/framing.h"

namespace tessera::kernels {

namespace {

using Places = std::array<int64_t, kGatheredBlock>;

/// The lowest place marks a row outside of a mode with a pad; the number of the table is added to
/// it.
constexpr int64_t kOutside = std::numeric_limits<int64_t>::min();
constexpr int64_t kMostTables = 64;

/// The distance of prefetching rows, and the bytes fetched of each.
constexpr int64_t kRowsAhead = 6;
constexpr int64_t kBytesAhead = 256;
constexpr int64_t kLine = 64;

/// Returns a difference of any two positions: it wraps.
int64_t wrapped_difference(int64_t one, int64_t other) {
  return static_cast<int64_t>(static_cast<uint64_t>(one) - static_cast<uint64_t>(other));
}

/// Copies rows of one width through one table of contiguous numbers, without a step between rows.
template <class T, size_t kBytes>
void copy_side_by_side(const T* numbers, const PositionTable& table, const std::byte* from,
                       int64_t count, std::byte* to) noexcept {
  constexpr auto kStride = static_cast<int64_t>(kBytes);
  const std::byte* const first = from - table.origin * table.stride;
  if (table.stride == kStride) {
    for (int64_t row = 0; row < count; ++row) {
      std::memcpy(to + row * kStride, first + static_cast<int64_t>(+numbers[row]) * kStride,
                  kBytes);
    }
    return;
  }
  for (int64_t row = 0; row < count; ++row) {
    std::memcpy(to + row * kStride, first + static_cast<int64_t>(+numbers[row]) * table.stride,
                kBytes);
  }
}

/// Calls `body(std::integral_constant<size_t, n>{})` for a row of n bytes. Returns false if no
/// number has that width.
template <class Body>
bool visit_width(int64_t bytes, Body body) noexcept {
  switch (bytes) {
    case 1:
      body(std::integral_constant<size_t, 1>{});
      return true;
    case 2:
      body(std::integral_constant<size_t, 2>{});
      return true;
    case 4:
      body(std::integral_constant<size_t, 4>{});
      return true;
    case 8:
      body(std::integral_constant<size_t, 8>{});
      return true;
    case 16:
      body(std::integral_constant<size_t, 16>{});
      return true;
    default:
      return false;
  }
}

const std::byte* at_place(const std::byte* from, int64_t place) {
  const auto address = reinterpret_cast<uintptr_t>(from) + static_cast<uint64_t>(place);
  return reinterpret_cast<const std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Copies rows of kHalf to 2 * kHalf bytes: both ends of each, which overlap.
template <int64_t kHalf>
void copy_ends(const std::byte* from, const int64_t* places, int64_t count, int64_t bytes,
               std::byte* to) noexcept {
  for (int64_t row = 0; row < count; ++row, to += bytes) {
    const std::byte* const at = at_place(from, places[row]);
    std::array<std::byte, kHalf> begin;
    std::array<std::byte, kHalf> end;
    std::memcpy(begin.data(), at, kHalf);
    std::memcpy(end.data(), at + bytes - kHalf, kHalf);
    std::memcpy(to, begin.data(), kHalf);
    std::memcpy(to + bytes - kHalf, end.data(), kHalf);
  }
}

void copy_long(const std::byte* from, const int64_t* places, int64_t count, int64_t bytes,
               std::byte* to) noexcept {
  for (int64_t row = 0; row < count; ++row, to += bytes) {
    if (row + kRowsAhead < count) {
      const std::byte* const ahead = at_place(from, places[row + kRowsAhead]);
      for (int64_t line = 0; line < std::min(bytes, kBytesAhead); line += kLine) {
        __builtin_prefetch(ahead + line);
      }
    }
    std::memcpy(to, at_place(from, places[row]), static_cast<size_t>(bytes));
  }
}

void copy_at(const std::byte* from, const int64_t* places, int64_t count, int64_t bytes,
             std::byte* to) noexcept {
  const bool is_copied = visit_width(bytes, [&](auto width) {
    for (int64_t row = 0; row < count; ++row) {
      std::memcpy(to + row * static_cast<int64_t>(width()), at_place(from, places[row]), width());
    }
  });
  if (is_copied) {
    return;
  }
  if (bytes < 4) {
    copy_ends<2>(from, places, count, bytes, to);
  } else if (bytes < 8) {
    copy_ends<4>(from, places, count, bytes, to);
  } else if (bytes < 16) {
    copy_ends<8>(from, places, count, bytes, to);
  } else if (bytes <= 32) {
    copy_ends<16>(from, places, count, bytes, to);
  } else if (bytes <= 64) {
    copy_ends<32>(from, places, count, bytes, to);
  } else {
    copy_long(from, places, count, bytes, to);
  }
}

class Gathering {
 public:
  explicit Gathering(const GatheredRows& rows) noexcept : rows_(rows) {
    for (const PositionTable& table : rows.tables) {
      has_boundary_ = has_boundary_ || *table.outside != expr::Boundary(expr::Inside{});
    }
  }

  int64_t run() noexcept {
    for (int64_t first = 0; first < rows_.num_rows; first += kGatheredBlock) {
      if (!copy_block(first, std::min(kGatheredBlock, rows_.num_rows - first))) {
        return first;
      }
    }
    return rows_.num_rows;
  }

 private:
  bool copy_block(int64_t first, int64_t count) noexcept {
    std::byte* const to = rows_.to + first * rows_.row_bytes;
    if (rows_.tables.size() == 1 && rows_.step == 0 && rows_.tables[0].step == 1 &&
        !has_boundary_) {
      bool is_inside = true;
      if (copy_directly(first, count, to, is_inside)) {
        return is_inside;
      }
    }
    if (has_boundary_) {
      if (!place_bounded(first, count)) {
        return false;
      }
      copy_bounded(count, to);
      return true;
    }
    if (!place_rows(rows_, first, count, places_.data())) {
      return false;
    }
    copy_at(rows_.from, places_.data(), count, rows_.row_bytes, to);
    return true;
  }

  /// Copies a block of elements without computing their places first. Returns false if rows have
  /// another width.
  bool copy_directly(int64_t first, int64_t count, std::byte* to, bool& is_inside) noexcept {
    const PositionTable& table = rows_.tables[0];
    return visit_width(rows_.row_bytes, [&](auto width) {
      is_inside = are_inside(table, first, count);
      if (!is_inside) {
        return;
      }
      visit_positions(table.dtype, [&]<class T>(std::type_identity<T>) {
        const T* const numbers = reinterpret_cast<const T*>(table.first) + first;
        copy_side_by_side<T, width()>(numbers, table, rows_.from, count, to);
      });
    });
  }

  bool place_bounded(int64_t first, int64_t count) noexcept {
    for (int64_t row = 0; row < count; ++row) {
      places_[static_cast<size_t>(row)] = (first + row) * rows_.step;
    }
    for (size_t table = 0; table < rows_.tables.size(); ++table) {
      if (!add_bounded(table, first, count)) {
        return false;
      }
    }
    return true;
  }

  bool add_bounded(size_t number, int64_t first, int64_t count) noexcept {
    const PositionTable& table = rows_.tables[number];
    const bool may_be_outside = is_padded(*table.outside);
    bool is_inside = true;
    visit_positions(table.dtype, [&]<class T>(std::type_identity<T>) {
      const T* const numbers = reinterpret_cast<const T*>(table.first) + first * table.step;
      for (int64_t row = 0; row < count; ++row) {
        int64_t& place = places_[static_cast<size_t>(row)];
        const auto position = static_cast<int64_t>(+numbers[row * table.step]);
        const std::optional<int64_t> found =
            expr::bounded(wrapped_difference(position, table.origin), table.extent, *table.outside);
        if (!is_outside(place)) {  // the pad of an earlier mode is kept
          is_inside = is_inside && (found || may_be_outside);
          place = found ? place + *found * table.stride : kOutside + static_cast<int64_t>(number);
        }
      }
    });
    return is_inside;
  }

  static bool is_outside(int64_t place) { return place < kOutside + kMostTables; }

  void copy_bounded(int64_t count, std::byte* to) const noexcept {
    const int64_t elements = rows_.row_bytes / size_of(rows_.dtype);
    for (int64_t row = 0; row < count; ++row, to += rows_.row_bytes) {
      const int64_t place = places_[static_cast<size_t>(row)];
      if (is_outside(place)) {
        const PositionTable& table = rows_.tables[static_cast<size_t>(place - kOutside)];
        fill_outside(*table.outside, rows_.dtype, to, elements);
      } else {
        copy_at(rows_.from, &place, 1, rows_.row_bytes, to);
      }
    }
  }

  const GatheredRows& rows_;
  bool has_boundary_ = false;
  Places places_;
};

}  // namespace

bool place_rows(const GatheredRows& rows, int64_t first, int64_t count, int64_t* places) noexcept {
  const auto rest = rows.tables.begin() + 1;
  return set_positions(rows.tables[0], first, count, first * rows.step, rows.step, places) &&
         std::all_of(rest, rows.tables.end(), [&](const PositionTable& table) {
           return add_positions(table, first, count, places);
         });
}

int64_t gather_rows(const GatheredRows& rows) noexcept {
  return Gathering(rows).run();
}

}  // namespace tessera::kernels

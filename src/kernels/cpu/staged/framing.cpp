#include "kernels/cpu/staged/framing.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/overload.h"
#include "kernels/cpu/blocked/program.h"

namespace tessera::kernels {

namespace {

/// A copy of a part of an operand that reaches beyond it or spreads it, row by row.
class Framing {
 public:
  Framing(const TileView& from, const TileView& to, const Framed& frame) noexcept
      : from_(from), to_(to), frame_(frame), last_(to.shape.size() - 1) {}

  void run() noexcept {
    std::array<int64_t, kMostModes> at{};
    std::byte* row = to_.data;
    const int64_t row_bytes = to_.shape[last_] * size_of(to_.dtype);
    do {
      fill_row(at, row);
      row += row_bytes;
    } while (advance(at));
  }

 private:
  /// Returns the place of an element in its mode; nothing if the boundary defines a number instead.
  std::optional<int64_t> place(size_t mode, int64_t at) const noexcept {
    const int64_t sum = to_.origin[mode] + at;
    const int64_t divisor = frame_.divisor[mode];
    return sum % divisor != 0 ? std::nullopt
                              : expr::bounded(sum / divisor - from_.origin[mode], from_.shape[mode],
                                              frame_.outside[mode]);
  }

  void fill_row(const std::array<int64_t, kMostModes>& at, std::byte* row) const noexcept {
    const std::byte* start = from_.data;
    for (size_t mode = 0; mode < last_; ++mode) {
      const std::optional<int64_t> found = place(mode, at[mode]);
      if (!found) {
        return fill(mode, row, to_.shape[last_]);
      }
      start += *found * from_.strides[mode] * size_of(from_.dtype);
    }
    if (frame_.divisor[last_] != 1) {
      return spread(start, row);
    }
    const int64_t begin = from_.origin[last_] - to_.origin[last_];  // of the inside part
    const int64_t end = std::min(begin + from_.shape[last_], to_.shape[last_]);
    const int64_t first = std::clamp<int64_t>(begin, 0, to_.shape[last_]);
    copy_each(start, row, 0, first);
    if (end > first) {
      copy_inside(start, row, first, end);
    }
    copy_each(start, row, std::max(first, end), to_.shape[last_]);
  }

  void copy_inside(const std::byte* start, std::byte* row, int64_t first,
                   int64_t end) const noexcept {
    const auto bytes = static_cast<size_t>(size_of(from_.dtype));
    const int64_t stride = from_.strides[last_];
    const int64_t position = to_.origin[last_] + first - from_.origin[last_];
    const std::byte* element = start + position * stride * size_of(from_.dtype);
    std::byte* target = row + first * size_of(from_.dtype);
    if (stride == 1) {
      std::memcpy(target, element, static_cast<size_t>(end - first) * bytes);
      return;
    }
    for (int64_t at = first; at < end; ++at) {
      std::memcpy(target, element, bytes);
      element += stride * size_of(from_.dtype);
      target += bytes;
    }
  }

  /// Copies elements of the last mode that are spread, with a number between them.
  void spread(const std::byte* start, std::byte* row) const noexcept {
    const int64_t divisor = frame_.divisor[last_];
    fill(last_, row, to_.shape[last_]);
    const int64_t bytes = size_of(from_.dtype);
    const int64_t first = from_.origin[last_] * divisor - to_.origin[last_];  // of the elements
    const int64_t skipped = std::max<int64_t>(0, (-first + divisor - 1) / divisor);
    const std::byte* element = start + skipped * from_.strides[last_] * bytes;
    for (int64_t number = skipped; number < from_.shape[last_]; ++number) {
      const int64_t at = first + number * divisor;
      if (at >= to_.shape[last_]) {
        return;
      }
      std::memcpy(row + at * bytes, element, static_cast<size_t>(bytes));
      element += from_.strides[last_] * bytes;
    }
  }

  /// Copies elements outside of the last mode.
  void copy_each(const std::byte* start, std::byte* row, int64_t begin,
                 int64_t end) const noexcept {
    const int64_t bytes = size_of(from_.dtype);
    for (int64_t at = begin; at < end; ++at) {
      const std::optional<int64_t> found = place(last_, at);
      if (!found) {
        fill(last_, row + at * bytes, 1);
      } else {
        std::memcpy(row + at * bytes, start + *found * from_.strides[last_] * bytes,
                    static_cast<size_t>(bytes));
      }
    }
  }

  /// Writes the number outside of a mode.
  void fill(size_t mode, std::byte* row, int64_t count) const noexcept {
    fill_outside(frame_.outside[mode], to_.dtype, row, count);
  }

  bool advance(std::array<int64_t, kMostModes>& at) const noexcept {
    for (size_t mode = last_; mode-- > 0;) {
      if (++at[mode] < to_.shape[mode]) {
        return true;
      }
      at[mode] = 0;
    }
    return false;
  }

  const TileView& from_;
  const TileView& to_;
  const Framed& frame_;
  const size_t last_;
};

}  // namespace

bool is_padded(const expr::Boundary& outside) noexcept {
  return std::visit(
      Overload{[](const expr::Pad&) { return true; },
               [](const Among<expr::Inside, expr::Edge, expr::Reflect> auto&) { return false; }},
      outside);
}

bool fill_outside(const expr::Boundary& outside, DType type, std::byte* to,
                  int64_t count) noexcept {
  return std::visit(
      Overload{[&](const expr::Pad& pad) {
                 fill_literal(pad.value, type, to, count);
                 return true;
               },
               [](const Among<expr::Inside, expr::Edge, expr::Reflect> auto&) { return false; }},
      outside);
}

void stage_framed(const TileView& operand, const Framed& framed, std::span<const LabelRange> ranges,
                  TileView& copy) noexcept {
  const size_t num_modes = framed.outside.size();
  copy.shape = copy.strides = copy.origin = ModeValues(num_modes, 0);
  bool is_inside = true;
  int64_t stride = 1;
  for (size_t mode = num_modes; mode-- > 0;) {
    const LabelRange span = span_of(framed.readings, mode, ranges);
    copy.origin[mode] = span.begin;
    copy.shape[mode] = span.length;
    copy.strides[mode] = stride;
    stride *= span.length;
    is_inside = is_inside && framed.divisor[mode] == 1 && span.begin >= operand.origin[mode] &&
                span.begin + span.length <= operand.origin[mode] + operand.shape[mode];
  }
  if (is_inside) {
    copy = operand;
  } else {
    Framing(operand, copy, framed).run();
  }
}

}  // namespace tessera::kernels

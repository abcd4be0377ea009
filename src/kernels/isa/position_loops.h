#pragma once

#include <bit>
#include <type_traits>

#include "kernels/isa/block_entries.h"
#include "kernels/isa/position_loop_table.h"

/// The loops that check positions and find their places. Plain code that compilers vectorise,
/// compiled once per instruction set.
namespace tessera::kernels::TESSERA_ISA {

/// Calls a loop with the step from number to number, a constant if they are contiguous.
template <class Loop>
bool with_step(int64_t step, Loop loop) noexcept {
  return step == 1 ? loop(std::integral_constant<int64_t, 1>{}) : loop(step);
}

/// A position is outside exactly if its distance from the first one or that to the last one is
/// negative. Returns a negative number then, without a branch. Differences wrap.
template <class Wide>
Wide sign_of(std::make_unsigned_t<Wide> place, std::make_unsigned_t<Wide> last) {
  return static_cast<Wide>(place | (last - place));
}

/// True if all positions are inside. Numbers of up to 16 bits are checked in 32.
template <class T>
bool are_inside(const Positions& positions) noexcept {
  using Wide = std::conditional_t<(sizeof(T) <= 2), int32_t, int64_t>;
  using Unsigned = std::make_unsigned_t<Wide>;
  constexpr int64_t kMost = int64_t{1} << 30;
  if (sizeof(T) <= 2 && positions.origin > kMost) {
    return positions.count == 0;
  }
  const bool is_far = sizeof(T) <= 2 && positions.extent - 1 > kMost;
  const auto first = static_cast<Unsigned>(positions.origin);
  const auto last = static_cast<Unsigned>(is_far ? kMost : positions.extent - 1);
  const T* const numbers = static_cast<const T*>(positions.numbers);
  return with_step(positions.step, [&](auto step) {
    Wide signs = 0;
    for (int64_t row = 0; row < positions.count; ++row) {
      const auto position = static_cast<Unsigned>(static_cast<Wide>(+numbers[row * step]));
      signs |= sign_of<Wide>(position - first, last);
    }
    return signs >= 0;
  });
}

/// The place by a shift. Products of places wrap: vectors shift, but few multiply.
struct Shifted {
  int shift;
  uint64_t operator()(uint64_t position) const { return position << shift; }
};
struct Multiplied {
  uint64_t stride;
  uint64_t operator()(uint64_t position) const { return position * stride; }
};

/// Computes places[k] = first_of(k, places[k]) + the place of position k.
template <class T, class Step, class PlaceOf, class FirstOf>
bool place_all(const T* __restrict numbers, Step step, const Positions& positions, PlaceOf place_of,
               FirstOf first_of, int64_t* __restrict places) noexcept {
  const auto origin = static_cast<uint64_t>(positions.origin);
  const auto last = static_cast<uint64_t>(positions.extent - 1);
  const int64_t count = positions.count;
  int64_t signs = 0;
#pragma GCC ivdep
  for (int64_t row = 0; row < count; ++row) {
    const auto number = static_cast<uint64_t>(static_cast<int64_t>(+numbers[row * step]));
    const uint64_t position = number - origin;
    signs |= sign_of<int64_t>(position, last);
    places[row] = static_cast<int64_t>(first_of(row, places[row]) + place_of(position));
  }
  return signs >= 0;
}

template <class T, class FirstOf>
bool place_all(const Positions& positions, FirstOf first_of, int64_t* places) noexcept {
  const T* const numbers = static_cast<const T*>(positions.numbers);
  const auto stride = static_cast<uint64_t>(positions.stride);
  return with_step(positions.step, [&](auto step) {
    return std::has_single_bit(stride)
               ? place_all(numbers, step, positions, Shifted{std::countr_zero(stride)}, first_of,
                           places)
               : place_all(numbers, step, positions, Multiplied{stride}, first_of, places);
  });
}

template <class T>
bool set_places(const Positions& positions, int64_t first, int64_t row_step,
                int64_t* places) noexcept {
  const auto begin = static_cast<uint64_t>(first);
  const auto by_row = [=](int64_t row, int64_t) {
    return begin + static_cast<uint64_t>(row) * static_cast<uint64_t>(row_step);
  };
  return row_step == 0 ? place_all<T>(
                             positions, [=](int64_t, int64_t) { return begin; }, places)
                       : place_all<T>(positions, by_row, places);
}

template <class T>
bool add_places(const Positions& positions, int64_t* places) noexcept {
  return place_all<T>(
      positions, [](int64_t, int64_t before) { return static_cast<uint64_t>(before); }, places);
}

template <class T>
constexpr PositionLoops loops_of() {
  return {kDType<T>, &are_inside<T>, &set_places<T>, &add_places<T>};
}

}  // namespace tessera::kernels::TESSERA_ISA

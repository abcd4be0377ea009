#include "kernels/cpu/walk/position_table.h"

#include <algorithm>
#include <bit>

namespace tessera::kernels {

namespace {

/// Differences and products of positions that may be any numbers: they wrap.
int64_t wrapped_difference(int64_t one, int64_t other) {
  return static_cast<int64_t>(static_cast<uint64_t>(one) - static_cast<uint64_t>(other));
}
int64_t wrapped_product(int64_t one, int64_t other) {
  return static_cast<int64_t>(static_cast<uint64_t>(one) * static_cast<uint64_t>(other));
}

/// Numbers of up to 16 bits are checked in 32.
template <class T>
using Checked = std::conditional_t<(sizeof(T) <= 2), int32_t, int64_t>;

/// Calls a loop with the step from number to number, a constant where they lie side by side, so
/// that it is made of vectors.
template <class Loop>
void with_step(int64_t step, Loop loop) noexcept {
  if (step == 1) {
    loop(std::integral_constant<int64_t, 1>{});
  } else {
    loop(step);
  }
}

/// True if all positions lie in [origin, origin + extent). A position is outside exactly if its
/// distance from the first one or that to the last one is negative: so without a branch.
template <class T, class Step>
bool are_inside(const T* numbers, Step step, int64_t count, int64_t origin,
                int64_t extent) noexcept {
  using Wide = Checked<T>;
  using Unsigned = std::make_unsigned_t<Wide>;
  constexpr int64_t kMost = int64_t{1} << 30;
  if (sizeof(T) <= 2 && origin > kMost) {
    return count == 0;
  }
  const auto first = static_cast<Unsigned>(origin);
  const auto last =
      static_cast<Unsigned>(sizeof(T) <= 2 ? std::min(extent - 1, kMost) : extent - 1);
  Unsigned signs = 0;
  for (int64_t row = 0; row < count; ++row) {
    const auto place = static_cast<Unsigned>(static_cast<Wide>(+numbers[row * step])) - first;
    signs |= place | (last - place);
  }
  return static_cast<Wide>(signs) >= 0;
}

template <class T, class Step>
void add_places(const T* numbers, Step step, const PositionTable& table, int64_t count,
                int64_t* places) noexcept {
  if (std::has_single_bit(static_cast<uint64_t>(table.stride))) {  // vectors shift, few multiply
    const int shift = std::countr_zero(static_cast<uint64_t>(table.stride));
    for (int64_t row = 0; row < count; ++row) {
      const auto position = static_cast<uint64_t>(static_cast<int64_t>(+numbers[row * step]));
      const uint64_t place = (position - static_cast<uint64_t>(table.origin)) << shift;
      places[row] = static_cast<int64_t>(static_cast<uint64_t>(places[row]) + place);
    }
    return;
  }
  for (int64_t row = 0; row < count; ++row) {
    const auto position = static_cast<int64_t>(+numbers[row * step]);
    const int64_t place = wrapped_product(wrapped_difference(position, table.origin), table.stride);
    places[row] =
        static_cast<int64_t>(static_cast<uint64_t>(places[row]) + static_cast<uint64_t>(place));
  }
}

}  // namespace

int64_t position_in(DType dtype, const std::byte* number) noexcept {
  int64_t position = 0;
  visit_positions(dtype, [&]<class T>(std::type_identity<T>) {
    position = static_cast<int64_t>(+*reinterpret_cast<const T*>(number));  // i8 is no character
  });
  return position;
}

bool are_inside(const PositionTable& table, int64_t first, int64_t count) noexcept {
  bool is_so = true;
  visit_positions(table.dtype, [&]<class T>(std::type_identity<T>) {
    const T* const numbers = reinterpret_cast<const T*>(table.first) + first * table.step;
    with_step(table.step, [&](auto step) {
      is_so = are_inside(numbers, step, count, table.origin, table.extent);
    });
  });
  return is_so;
}

bool add_positions(const PositionTable& table, int64_t first, int64_t count,
                   int64_t* places) noexcept {
  if (!are_inside(table, first, count)) {
    return false;
  }
  visit_positions(table.dtype, [&]<class T>(std::type_identity<T>) {
    const T* const numbers = reinterpret_cast<const T*>(table.first) + first * table.step;
    with_step(table.step, [&](auto step) { add_places(numbers, step, table, count, places); });
  });
  return true;
}

}  // namespace tessera::kernels

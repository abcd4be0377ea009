#include "kernels/cpu/semiring/panels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "expr/function_ids.h"
#include "kernels/cpu/walk/strided_copy.h"

namespace tessera::kernels {

namespace {

template <class T, class Bits>
SpecialValues special_among(const T* numbers, int64_t count) {
  constexpr T kLargest = std::numeric_limits<T>::max();
  const Bits negative_zero = std::bit_cast<Bits>(-T(0));
  Bits nan = 0;
  Bits above = 0;
  Bits below = 0;
  Bits zero = 0;
  Bits negative = 0;
  for (int64_t e = 0; e < count; ++e) {
    const T x = numbers[e];
    nan |= x != x ? 1U : 0U;
    above |= x > kLargest ? 1U : 0U;
    below |= x < -kLargest ? 1U : 0U;
    zero |= std::bit_cast<Bits>(x) == negative_zero ? 1U : 0U;
    negative |= x < T(0) ? 1U : 0U;
  }
  return {nan != 0, above != 0, below != 0, zero != 0, negative != 0};
}

void pack_some(const SemiringOperand& from, int64_t first, int64_t num_panels, int64_t lines,
               int64_t depth, int64_t width, int64_t size, std::byte* to) {
  StridedBox box;
  box.add(lines, from.line_step * size, size);
  box.add(depth, from.depth_step * size, width * size);
  box.add(num_panels, width * from.line_step * size, depth * width * size);
  copy_box(from.data + first * from.line_step * size, to + first * depth * size, size,
           std::move(box));
}

}  // namespace

SpecialValues operator|(const SpecialValues& a, const SpecialValues& b) {
  return {a.has_nan || b.has_nan, a.has_positive_infinity || b.has_positive_infinity,
          a.has_negative_infinity || b.has_negative_infinity,
          a.has_negative_zero || b.has_negative_zero, a.has_negative || b.has_negative};
}

void pack_panels(const SemiringOperand& from, int64_t num_lines, int64_t depth, int64_t width,
                 DType type, std::byte* to) noexcept {
  const int64_t size = size_of(type);
  const int64_t whole = num_lines / width;
  const int64_t rest = num_lines % width;
  if (whole > 0) {
    pack_some(from, 0, whole, width, depth, width, size, to);
  }
  if (rest > 0) {
    std::memset(to + whole * width * depth * size, 0, static_cast<size_t>(width * depth * size));
    pack_some(from, whole * width, 1, rest, depth, width, size, to);
  }
}

SpecialValues special_values(const std::byte* numbers, int64_t count, DType type) noexcept {
  if (type == DType::f32) {
    return special_among<float, uint32_t>(reinterpret_cast<const float*>(numbers), count);
  }
  if (type == DType::f64) {
    return special_among<double, uint64_t>(reinterpret_cast<const double*>(numbers), count);
  }
  return {};
}

bool stays_ordinary(const SpecialValues& values, const char* join, const char* of_join) noexcept {
  const std::string_view name = join;
  const bool has_infinity = values.has_positive_infinity || values.has_negative_infinity;
  if (values.has_nan) {
    return false;
  }
  if (name == expr::id::kSubtract) {  // of abs and square no -0 is left
    return !has_infinity && of_join != nullptr;
  }
  if (name == expr::id::kMultiply) {  // 0 * inf is NaN, a product of unlike signs may vanish to -0
    return !has_infinity && !values.has_negative && !values.has_negative_zero;
  }
  if (name == expr::id::kAdd) {  // -0 is the sum of -0 and -0 only
    return !values.has_negative_zero &&
           !(values.has_positive_infinity && values.has_negative_infinity);
  }
  return !values.has_negative_zero;
}

}  // namespace tessera::kernels

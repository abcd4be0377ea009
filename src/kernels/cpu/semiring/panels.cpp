#include "kernels/cpu/semiring/panels.h"

#include <cstring>
#include <string_view>

#include "expr/function_ids.h"
#include "kernels/cpu/walk/strided_copy.h"

namespace tessera::kernels {

namespace {

void pack_some(const SemiringOperand& from, int64_t first, int64_t num_panels, int64_t lines,
               int64_t depth, int64_t width, int64_t size, std::byte* to) {
  StridedBox box;
  box.add(lines, from.line_step * size, size);
  box.add(depth, from.depth_step * size, width * size);
  box.add(num_panels, width * from.line_step * size, depth * width * size);
  copy_box(from.data + first * from.line_step * size, to + first * depth * size, size, box);
}

}  // namespace

SpecialValues operator|(const SpecialValues& a, const SpecialValues& b) {
  return {a.has_nan || b.has_nan,
          a.has_positive_infinity || b.has_positive_infinity,
          a.has_negative_infinity || b.has_negative_infinity,
          a.has_negative_zero || b.has_negative_zero,
          a.has_negative || b.has_negative,
          a.has_huge || b.has_huge};
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

bool stays_ordinary(const SpecialValues& values, const SpecialValues& weights,
                    const SemiringEntry& entry) noexcept {
  const std::string_view join = entry.join;
  const bool has_infinity = values.has_positive_infinity || values.has_negative_infinity;
  if (values.has_nan) {
    return false;
  }
  if (entry.weights != SemiringWeights::none &&  // 0 * inf is NaN, 0 times a negative number is -0
      (weights.has_nan || weights.has_positive_infinity || weights.has_negative ||
       weights.has_negative_zero || values.has_huge)) {
    return false;
  }
  if (entry.num_states > 1) {  // inf - inf is NaN
    return !values.has_huge;
  }
  if (join == expr::id::kSubtract) {  // abs and square remove -0
    return !has_infinity && entry.of_join != nullptr;
  }
  if (join == expr::id::kMultiply) {  // 0 * inf is NaN, a product of unlike signs may vanish to -0
    return !has_infinity && !values.has_negative && !values.has_negative_zero;
  }
  if (join == expr::id::kAdd) {  // -0 is the sum of -0 and -0 only
    return !values.has_negative_zero &&
           !(values.has_positive_infinity && values.has_negative_infinity);
  }
  return !values.has_negative_zero;
}

}  // namespace tessera::kernels

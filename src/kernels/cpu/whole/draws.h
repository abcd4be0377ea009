#pragma once

#include <cstdint>
#include <type_traits>

#include "expr/function_random.h"
#include "kernels/cpu/whole/routine.h"

namespace tessera::kernels {

// Parts of routines that draw from rows of weights. A weight is a number that is not negative.

/// Calls visit(std::type_identity<T>) for the type of weights.
template <class Visit>
Status visit_weight_type(DType dtype, Visit visit) noexcept {
  return dtype == DType::f32 ? visit(std::type_identity<float>{})
                             : visit(std::type_identity<double>{});
}

/// Returns the sum of weights from the first to the last; NaN if one is negative or no number.
template <class T>
double sum_of_weights(const T* weights, int64_t count) noexcept {
  double sum = 0;
  bool is_sound = true;
  for (int64_t k = 0; k < count; ++k) {
    sum += static_cast<double>(weights[k]);
    is_sound = is_sound && weights[k] >= 0;
  }
  return is_sound ? sum : std::numeric_limits<double>::quiet_NaN();
}

/// True if weights with this sum can be drawn from.
inline bool is_distribution(double sum) noexcept {
  return sum > 0 && sum <= std::numeric_limits<double>::max();
}

}  // namespace tessera::kernels

#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "kernels/cpu/whole/factoring.h"
#include "kernels/cpu/whole/lapack.h"

namespace tessera::kernels {

/// A determinant as significand * 2^exponent. The significand's magnitude is in [0.5, 1), or it is
/// 0, infinite or NaN, so products of many pivots neither overflow nor vanish on the way.
template <class T>
struct Determinant {
  T significand = T(1);
  int64_t exponent = 0;

  void multiply(T pivot) {
    significand *= scaled(pivot);
    significand = scaled(significand);
  }

  /// Returns the determinant itself, rounded once; it may overflow to infinity or vanish.
  T value() const {
    const auto within = static_cast<int>(std::clamp<int64_t>(exponent, -100000, 100000));
    if constexpr (std::is_floating_point_v<T>) {
      return std::ldexp(significand, within);
    } else {
      return T(std::ldexp(significand.real(), within), std::ldexp(significand.imag(), within));
    }
  }

  /// Returns the logarithm of the magnitude; minus infinity for 0.
  T log_magnitude() const {
    const auto magnitude = static_cast<double>(std::abs(significand));
    return T(static_cast<decltype(std::abs(T()))>(std::log(magnitude) +
                                                  static_cast<double>(exponent) * std::log(2.0)));
  }

  /// Returns -1, 0 or 1, or a complex number of magnitude 1; 0 for 0.
  T sign() const { return significand == T(0) ? T(0) : significand / std::abs(significand); }

 private:
  /// Moves the power of two of the larger part of a number to the exponent.
  T scaled(T number) {
    int power = 0;
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::frexp(number, &power);
      exponent += std::isfinite(number) ? power : 0;
      return rest;
    } else {
      const auto larger = std::max(std::abs(number.real()), std::abs(number.imag()));
      if (!std::isfinite(larger) || larger == 0) {
        return number;
      }
      static_cast<void>(std::frexp(larger, &power));
      exponent += power;
      return T(std::ldexp(number.real(), -power), std::ldexp(number.imag(), -power));
    }
  }
};

/// Computes the determinant of the square matrix of a call: the product of the pivots of its
/// factoring, with a sign for each exchange of rows. The workspace holds a `Factoring<T>`.
template <class T>
Determinant<T> determinant_of(const RoutineCall& call) {
  const int64_t size = call.extents.front();
  Factoring<T> room(call.workspace, size);
  std::copy_n(call.argument<T>(0), size * size, room.matrix.data());
  if (size > 0) {
    factor(room.matrix.data(), static_cast<int32_t>(size), room.pivots.data());
  }
  Determinant<T> determinant;
  for (int64_t row = 0; row < size; ++row) {
    const bool is_exchanged =
        room.pivots[static_cast<size_t>(row)] != static_cast<int32_t>(row) + 1;
    const T pivot = room.matrix[static_cast<size_t>(row * (size + 1))];
    determinant.multiply(is_exchanged ? -pivot : pivot);
  }
  return determinant;
}

inline double determinant_seconds(const RoutineSize& size, const KernelRates& rates) {
  const double extent = size.extent();
  return factoring_seconds(extent * extent * extent / 3, size.dtype, rates);
}

}  // namespace tessera::kernels

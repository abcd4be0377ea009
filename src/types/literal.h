#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>

#include "types/dtype.h"

namespace tessera {

/// A number as written or computed at bind time, with no dtype of its own (numpy's weak scalars).
/// Integers above the range of int64 are held as uint64.
using Literal = std::variant<bool, int64_t, uint64_t, double, std::complex<double>>;

/// Returns the value converted to a C++ element type T (bool, an integer, float, double or
/// std::complex).
template <class T>
T literal_as(const Literal& literal) {
  return std::visit(
      [](auto value) -> T {
        using V = decltype(value);
        if constexpr (std::is_same_v<V, std::complex<double>>) {
          if constexpr (std::is_same_v<T, std::complex<float>> ||
                        std::is_same_v<T, std::complex<double>>) {
            return T(static_cast<typename T::value_type>(value.real()),
                     static_cast<typename T::value_type>(value.imag()));
          } else {
            return static_cast<T>(value.real());
          }
        } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                             std::is_same_v<T, std::complex<double>>) {
          return T(static_cast<typename T::value_type>(value));
        } else {
          return static_cast<T>(value);
        }
      },
      literal);
}

/// True if both are equal to the last bit: 0.0 is not -0.0, 1 is not 1.0, and a NaN equals every
/// NaN.
bool same_bits(const Literal& a, const Literal& b);

/// Returns the shortest text that reads back as the same value: "true", "3", "0.5", "inf", "nan",
/// "1e-05", "(1+2j)". A float keeps a mark of being one: "2.0".
std::string to_string(const Literal& literal);

}  // namespace tessera

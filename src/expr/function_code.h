#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "expr/function_types.h"
#include "types/dtype.h"

/// The vocabulary of a function's file (expr/functions/): the lists of types it is computed in and
/// a few element operations.
///
/// The code of every function is compiled once per instruction set, each time in a namespace of its
/// own: the same inline function compiled with different -m flags must not be merged by the linker,
/// or a machine without AVX-512 would run AVX-512 code. TESSERA_ISA names that namespace; users of
/// names and type rules alone leave it unset.
#ifndef TESSERA_ISA
#define TESSERA_ISA portable
#endif

namespace tessera::expr::TESSERA_ISA {

template <class... T>
struct Types {};

template <class... Lists>
struct JoinedTypes;
template <class... A>
struct JoinedTypes<Types<A...>> {
  using type = Types<A...>;
};
template <class... A, class... B, class... Rest>
struct JoinedTypes<Types<A...>, Types<B...>, Rest...> : JoinedTypes<Types<A..., B...>, Rest...> {};
template <class... Lists>
using Join = typename JoinedTypes<Lists...>::type;

using Bools = Types<bool>;
using SignedIntegers = Types<int8_t, int16_t, int32_t, int64_t>;
using UnsignedIntegers = Types<uint8_t, uint16_t, uint32_t, uint64_t>;
using Integers = Join<SignedIntegers, UnsignedIntegers>;
using Floats = Types<float, double>;
using Complexes = Types<std::complex<float>, std::complex<double>>;
using FloatsAndComplexes = Join<Floats, Complexes>;
using RealNumbers = Join<Integers, Floats>;  // not bool
using Numbers = Join<RealNumbers, Complexes>;
using BoolsAndRealNumbers = Join<Bools, RealNumbers>;
using Everything = Join<Bools, Numbers>;

/// The signatures a function is computed in, one per type T of the list, with kArity arguments.
template <class List>
struct Same {};  // T(T, ...)
template <class List>
struct Test {};  // bool(T, ...)
template <class List>
struct RealPart {};  // real type of T (T, ...)
template <class List>
struct Choice {};  // T(bool, T, ...)
template <class List>
struct Draw {};  // T(int64_t, T, ...)

/// The reason that a function has no value for some arguments; its `faults` tells which.
enum class Fault : uint8_t { division_by_zero, negative_power, no_group, no_distribution };

constexpr const char* text_of(Fault fault) {
  switch (fault) {
    case Fault::negative_power:
      return "an integer to a negative power";
    case Fault::no_group:
      return "a number that is no group";
    case Fault::no_distribution:
      return "parameters of no distribution";
    case Fault::division_by_zero:
      break;
  }
  return "an integer divided by zero";
}

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

/// An unsigned type in which arithmetic on T wraps instead of overflowing (narrow types would be
/// promoted to int).
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// Selects like xsimd::select, for scalars, so that one text serves both.
template <class T>
inline T select(bool condition, T yes, T no) {
  return condition ? yes : no;
}

/// Returns a number as a T, which may be a float, a complex number or a batch.
template <class T>
inline T number(double value) {
  if constexpr (requires { typename T::value_type; }) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
inline T infinity() {
  return number<T>(std::numeric_limits<double>::infinity());
}
template <class T>
inline T nan() {
  return number<T>(std::numeric_limits<double>::quiet_NaN());
}

/// A vector of floats. xsimd's functions are found by their arguments' namespace, so its headers
/// are not needed here.
template <class T>
concept Batch = requires {
  typename T::batch_bool_type;
};

/// A nonnegative number as value * 2^-exponent, its value not subnormal: xsimd's logarithms and
/// roots require that.
template <Batch T>
struct Normal {
  T value;
  T exponent;
};

template <Batch T>
inline Normal<T> normal_of(T x) {
  const auto is_tiny = x < number<T>(std::numeric_limits<typename T::value_type>::min());
  return {select(is_tiny, x * number<T>(0x1p54), x), select(is_tiny, number<T>(54), number<T>(0))};
}

/// Evaluates c[0] + c[1]*x + c[2]*x^2 + ... by Horner's rule.
template <class T, size_t kCount>
inline T polynomial(T x, const double (&coefficients)[kCount]) {
  T sum = number<T>(coefficients[kCount - 1]);
  for (size_t power = kCount - 1; power-- > 0;) {
    sum = sum * x + number<T>(coefficients[power]);
  }
  return sum;
}

/// Return the bits of a float as an integer, and back.
inline uint32_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}
inline uint64_t bits_of(double value) {
  return std::bit_cast<uint64_t>(value);
}
inline float float_of_bits(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline double float_of_bits(uint64_t bits) {
  return std::bit_cast<double>(bits);
}

}  // namespace tessera::expr::TESSERA_ISA

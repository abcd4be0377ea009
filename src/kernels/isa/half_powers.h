#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "expr/functions/power.h"
#include "expr/fused_multiply_add.h"
#include "kernels/isa/block_loops.h"

/// Powers whose exponent is the same multiple of 1/2 in a block, by products and a root. Compiled
/// once per instruction set that has vectors; the bits are the same on all of these.
namespace tessera::kernels::TESSERA_ISA {

#ifdef TESSERA_ISA_BATCHES

template <class T>
struct HalfPowersOf;
template <>
struct HalfPowersOf<float> {
  using Bits = int32_t;
  static constexpr Bits kReciprocal = 0x7ef311c7;
  static constexpr int kLargestExponent = 90;
};
template <>
struct HalfPowersOf<double> {
  using Bits = int64_t;
  static constexpr Bits kReciprocal = 0x7fde6238502484ba;
  static constexpr int kLargestExponent = 900;
};

/// A function: x to the power halves / 2, in sums of two numbers of which only the last is rounded
/// to one: within 0.503 units in the last place for up to 32 halves (measured against wider types),
/// if x and the power lie within 2^-90 and 2^90 (2^900 in f64).
template <class T>
class HalfPower {
 public:
  using Batch = xsimd::batch<T>;

  static Batch of(Batch x, int32_t halves) {
    const int32_t size = std::abs(halves);
    Pair power = size > 1 ? whole_power(x, size / 2) : root_of(x);
    if (size > 1 && (size & 1) != 0) {
      power = times(power, root_of(x));
    }
    const Batch sum = halves < 0 ? reciprocal_of(power) : power.high + power.low;
    return size % 4 == 2 ? sum | (x & Batch(T(-0.0))) : sum;  // an odd power has the sign of -0
  }

 private:
  using Of = HalfPowersOf<T>;
  using Bits = xsimd::batch<typename Of::Bits>;

  /// A sum whose second number is at most some units in the last place of the first.
  struct Pair {
    Batch high, low;
  };

  static Batch fused(Batch a, Batch b, Batch c) {
    return expr::TESSERA_ISA::fused_multiply_add(a, b, c);
  }

  /// Returns a power by squaring squares, from the lowest set bit. REQUIRES exponent > 0.
  static Pair whole_power(Batch x, int32_t exponent) {
    Pair square = {x, Batch(T(0))};
    int32_t bits = exponent;
    for (bool is_exact = true; (bits & 1) == 0; bits >>= 1, is_exact = false) {
      square = is_exact ? square_of(x) : times(square, square);
    }
    Pair power = square;
    for (bits >>= 1; bits > 0; bits >>= 1) {
      square = times(square, square);
      power = (bits & 1) != 0 ? times(power, square) : power;
    }
    return power;
  }

  static Pair square_of(Batch x) {
    const Batch high = x * x;
    return {high, fused(x, x, -high)};
  }

  static Pair times(Pair a, Pair b) {
    const Batch high = a.high * b.high;
    const Batch rest = fused(a.high, b.high, -high);
    return {high, fused(a.high, b.low, fused(a.low, b.high, rest))};
  }

  /// Returns the root. The error of a rounded root is the rest of its square over twice the root,
  /// for which a few digits are enough: the bits of a reciprocal are about a constant less those of
  /// the number.
  static Pair root_of(Batch x) {
    const Batch high = xsimd::sqrt(x);
    const Batch rest = fused(-high, high, x);
    const Batch near =
        xsimd::bitwise_cast<Batch>(Bits(Of::kReciprocal) - xsimd::bitwise_cast<Bits>(high));
    const Batch reciprocal = near * fused(-high, near, Batch(T(2)));
    return {high, rest * (reciprocal * Batch(T(0.5)))};
  }

  static Batch reciprocal_of(Pair x) {
    const Batch near = Batch(T(1)) / x.high;
    const Batch rest = fused(-near, x.high, Batch(T(1)));
    return fused(near, rest - near * x.low, near);
  }
};

/// Computes the power of any batch.
template <class T>
[[gnu::noinline]] xsimd::batch<T> any_power(xsimd::batch<T> x, T exponent) noexcept {
  using Batch = xsimd::batch<T>;
  alignas(64) T bases[Batch::size];
  alignas(64) T exponents[Batch::size];
  alignas(64) T powers[Batch::size];
  x.store_aligned(bases);
  Batch(exponent).store_aligned(exponents);
  const void* const arguments[] = {bases, exponents};
  Loop<expr::TESSERA_ISA::Power, T, T, T>::run(arguments, powers, Batch::size);
  return Batch::load_aligned(powers);
}

/// A BlockFunction of x and of the exponent, of which it reads the first element.
template <class T>
Status half_power(const void* const* arguments, void* result, int64_t count) noexcept {
  using Batch = xsimd::batch<T>;
  const auto* const x = static_cast<const T*>(arguments[0]);
  const T exponent = *static_cast<const T*>(arguments[1]);
  const auto halves = static_cast<int32_t>(2 * exponent);
  constexpr int kLargest = HalfPowersOf<T>::kLargestExponent;
  const T most = std::ldexp(T(1), std::min(kLargest, 2 * kLargest / std::abs(halves)));
  const Batch usual_zero(halves > 0 ? T(0) : most);
  const bool fetches = fetches_ahead();
  for (int64_t e = 0; e < count; e += static_cast<int64_t>(Batch::size)) {
    if (fetches) {
      __builtin_prefetch(x + e + kBlock);  // like in a series
    }
    const Batch base = Batch::load_unaligned(x + e);
    const Batch size = xsimd::abs(base);
    const auto is_common =
        (size <= Batch(most)) & ((size >= Batch(1 / most)) | (size == usual_zero));
    Batch power = HalfPower<T>::of(base, halves);
    if (!xsimd::all(is_common)) {
      power = xsimd::select(is_common, power, any_power(base, exponent));
    }
    power.store_unaligned(static_cast<T*>(result) + e);
  }
  return Status::ok;
}

#endif

}  // namespace tessera::kernels::TESSERA_ISA

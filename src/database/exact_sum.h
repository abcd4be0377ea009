#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::database {

/// A sum of doubles without rounding, which values can be removed from again (Kulisch and Miranker
/// 1986): a fixed-point number wide enough for every double, in limbs of 32 bits with pending
/// carries. Infinities and NaN are counted separately. All bytes zero is the empty sum, so zeroed
/// memory of SQLite's is one. Adding takes constant time.
class ExactSum {
 public:
  void add(double value) { change(value, 1); }
  void subtract(double value) { change(value, -1); }

  /// Returns the sum rounded to the nearest double; NaN if a NaN is in it, or infinities of both
  /// signs.
  double value() const;

 private:
  // 2^-1074 to 2^1024, and space for the carries of 2^63 values.
  static constexpr size_t kNumLimbs = 69;
  using Limbs = std::array<int64_t, kNumLimbs>;

  void change(double value, int64_t sign);
  static void carry(Limbs& limbs);
  static double rounded(const Limbs& limbs);

  Limbs limbs_;
  int64_t num_pending_;  // values since the last carry
  int64_t num_nan_, num_positive_, num_negative_;
};

}  // namespace tessera::database

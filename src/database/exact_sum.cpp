#include "database/exact_sum.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tessera::database {

namespace {

constexpr int64_t kBitsOfLimb = 32;
constexpr uint64_t kLimbMask = 0xffffffff;
constexpr int64_t kMantissaBits = 52;
constexpr int kLowestExponent = -1074;               // of the bit at place 0
constexpr int64_t kMostPending = int64_t{1} << 30U;  // each adds less than 2^32 to a limb

}  // namespace

void ExactSum::change(double value, int64_t sign) {
  if (!std::isfinite(value)) {
    int64_t& count = std::isnan(value) ? num_nan_ : value > 0 ? num_positive_ : num_negative_;
    count += sign;
    return;
  }
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto exponent = static_cast<int64_t>((bits >> 52U) & 0x7ffU);
  uint64_t mantissa = bits & ((uint64_t{1} << 52U) - 1);
  mantissa |= exponent == 0 ? 0 : uint64_t{1} << 52U;
  const int64_t place = exponent == 0 ? 0 : exponent - 1;
  const auto first = static_cast<size_t>(place / kBitsOfLimb);
  const auto shift = static_cast<uint64_t>(place % kBitsOfLimb);
  const uint64_t low = (mantissa & kLimbMask) << shift;
  const uint64_t high = (mantissa >> 32U) << shift;
  const int64_t direction = std::signbit(value) ? -sign : sign;
  limbs_[first] += direction * static_cast<int64_t>(low & kLimbMask);
  limbs_[first + 1] += direction * static_cast<int64_t>((low >> 32U) + (high & kLimbMask));
  limbs_[first + 2] += direction * static_cast<int64_t>(high >> 32U);
  if (++num_pending_ == kMostPending) {
    carry(limbs_);
    num_pending_ = 0;
  }
}

/// Carries, so that every limb has 0 to 2^32 - 1 but the last, which has the sign.
void ExactSum::carry(Limbs& limbs) {
  for (size_t place = 0; place + 1 < limbs.size(); ++place) {
    limbs[place + 1] += limbs[place] >> 32U;
    limbs[place] = static_cast<int64_t>(static_cast<uint64_t>(limbs[place]) & kLimbMask);
  }
}

double ExactSum::value() const {
  if (num_nan_ > 0 || (num_positive_ > 0 && num_negative_ > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (num_positive_ > 0 || num_negative_ > 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    return num_positive_ > 0 ? infinity : -infinity;
  }
  Limbs limbs = limbs_;
  carry(limbs);
  if (limbs.back() >= 0) {
    return rounded(limbs);
  }
  for (int64_t& limb : limbs) {
    limb = -limb;
  }
  carry(limbs);
  return -rounded(limbs);
}

/// Rounds to a double. REQUIRES that carries are done and the sum is not negative.
double ExactSum::rounded(const Limbs& limbs) {
  size_t top = limbs.size() - 1;
  while (top > 0 && limbs[top] == 0) {
    --top;
  }
  const auto bit_at = [&](int64_t place) {
    const auto limb = static_cast<uint64_t>(limbs[static_cast<size_t>(place / kBitsOfLimb)]);
    return (limb >> static_cast<uint64_t>(place % kBitsOfLimb)) & 1U;
  };
  const int64_t highest = static_cast<int64_t>(top) * kBitsOfLimb +
                          static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(limbs[top]))) -
                          1;
  const int64_t lowest = highest > kMantissaBits ? highest - kMantissaBits : 0;
  uint64_t mantissa = 0;
  for (int64_t place = highest; place >= lowest; --place) {
    mantissa = 2 * mantissa + bit_at(place);
  }
  if (lowest > 0 && bit_at(lowest - 1) != 0) {  // at least half a unit is left
    bool is_more = false;
    for (int64_t place = lowest - 2; place >= 0 && !is_more; --place) {
      is_more = bit_at(place) != 0;
    }
    mantissa += is_more ? 1 : mantissa & 1U;
  }
  return std::ldexp(static_cast<double>(mantissa), static_cast<int>(lowest) + kLowestExponent);
}

}  // namespace tessera::database

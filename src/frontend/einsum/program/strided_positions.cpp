#include "frontend/einsum/program/strided_positions.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tessera::frontend {

namespace {

using Wide = __int128;  // wide enough for every sum of products of two numbers

Wide remainder(Wide a, Wide b) {
  return (a % b + b) % b;
}

/// Returns x with a * x = 1 modulo m. REQUIRES that they have no common factor.
Wide inverse(Wide a, Wide m) {
  Wide before = 0;
  Wide at = 1;
  for (Wide rest = m, next = remainder(a, m); next > 1;) {
    const Wide quotient = rest / next;
    rest = std::exchange(next, rest - quotient * next);
    before = std::exchange(at, before - quotient * at);
  }
  return remainder(at, m);
}

}  // namespace

int64_t lowest(const StridedPositions& at) {
  return at.stride > 0 ? at.begin : at.begin + at.stride * (at.length - 1);
}

int64_t highest(const StridedPositions& at) {
  return at.stride > 0 ? at.begin + at.stride * (at.length - 1) : at.begin;
}

std::optional<int64_t> first_common(const StridedPositions& a, const StridedPositions& b) {
  if (a.length == 0 || b.length == 0) {
    return std::nullopt;
  }
  const Wide step_a = std::abs(a.stride);
  const Wide step_b = std::abs(b.stride);
  const Wide common = std::gcd(std::abs(a.stride), std::abs(b.stride));
  const Wide apart = Wide{lowest(b)} - lowest(a);
  if (apart % common != 0) {
    return std::nullopt;
  }
  const Wide modulus = step_b / common;
  const Wide steps =
      remainder(remainder(apart / common, modulus) * inverse(step_a / common, modulus), modulus);
  const Wide period = step_a * modulus;
  const Wide from = std::max(lowest(a), lowest(b));
  Wide found = lowest(a) + step_a * steps;
  found += std::max<Wide>(0, (from - found + period - 1) / period) * period;
  return found <= std::min(highest(a), highest(b)) ? std::optional(static_cast<int64_t>(found))
                                                   : std::nullopt;
}

}  // namespace tessera::frontend

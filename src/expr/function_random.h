#pragma once

#include <cmath>
#include <cstdint>

#include "expr/function_code.h"

/// The parts of random draws. A draw takes 64 random bits, those of its element
/// (functions/philox.h), and needs no others: if it rejects, it goes on in a stream of its own.
namespace tessera::expr::TESSERA_ISA {

/// 128 random bits.
struct RandomBlock {
  uint64_t first = 0;
  uint64_t second = 0;
};

/// Returns random bits that follow from a key and a counter alone: Philox 4x32 of ten rounds
/// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
inline RandomBlock philox_block(uint64_t key, uint64_t counter) {
  constexpr int kRounds = 10;
  auto key_low = static_cast<uint32_t>(key);
  auto key_high = static_cast<uint32_t>(key >> 32);
  uint32_t words[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0};
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t first = uint64_t{0xD2511F53} * words[0];
    const uint64_t second = uint64_t{0xCD9E8D57} * words[2];
    const uint32_t next[4] = {
        static_cast<uint32_t>(second >> 32) ^ words[1] ^ key_low, static_cast<uint32_t>(second),
        static_cast<uint32_t>(first >> 32) ^ words[3] ^ key_high, static_cast<uint32_t>(first)};
    for (int word = 0; word < 4; ++word) {
      words[word] = next[word];
    }
    key_low += 0x9E3779B9;
    key_high += 0xBB67AE85;
  }
  return {uint64_t{words[1]} << 32 | words[0], uint64_t{words[3]} << 32 | words[2]};
}

/// Returns the 53 high bits as a number in (0, 1), never 0 nor 1.
inline double unit_of(uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

/// A stream of random numbers that follow from the bits of an element.
class RandomStream {
 public:
  explicit RandomStream(int64_t bits) : key_(static_cast<uint64_t>(bits)) {}

  double unit() {
    is_second_ = !is_second_;
    if (is_second_) {
      block_ = philox_block(key_, counter_++);
      return unit_of(block_.first);
    }
    return unit_of(block_.second);
  }
  /// Draws by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(6.283185307179586 * unit());
  }

 private:
  uint64_t key_;
  uint64_t counter_ = 0;
  RandomBlock block_;
  bool is_second_ = false;  // half of the block is left
};

/// Returns the logarithm of the gamma function, for x > 0. The library's own would write a global
/// sign.
inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/// Returns log(n!) less Stirling's (n + 1/2) log n - n + log(2 pi) / 2, for n > 0.
inline double rest_of_stirling(double n) {
  constexpr double kHalfLogOfTwoPi = 0.9189385332046728;
  if (n < 16) {
    return log_gamma(n + 1) - ((n + 0.5) * std::log(n) - n + kHalfLogOfTwoPi);
  }
  const double square = 1 / (n * n);
  return (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / n;
}

/// Returns x log(x / mean) - x + mean, even if x is so near to the mean that these cancel: with v =
/// (x - mean) / (x + mean), log(x / mean) is 2 (v + v^3 / 3 + v^5 / 5 + ...).
inline double deviance(double x, double mean) {
  const double difference = x - mean;
  const double v = difference / (x + mean);
  if (std::fabs(v) > 0.1) {
    return x * std::log(x / mean) - difference;
  }
  double sum = 0;
  for (int power = 19; power >= 3; power -= 2) {  // 0.1^20 is below the last place
    sum = sum * v * v + 1.0 / power;
  }
  return difference * v + 2 * x * v * v * v * sum;
}

/// Returns the logarithm of the probability of a count under the Poisson distribution of that mean,
/// for counts of any size. That of `count` successes among n trials is, up to a constant,
/// log_poisson(count, n p) + log_poisson(n - count, n (1 - p)). Source: Loader, "Fast and accurate
/// computation of binomial probabilities", 2000.
inline double log_poisson(double count, double mean) {
  constexpr double kTwoPi = 6.283185307179586;
  return count == 0
             ? -mean
             : -rest_of_stirling(count) - deviance(count, mean) - 0.5 * std::log(kTwoPi * count);
}

}  // namespace tessera::expr::TESSERA_ISA

#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Random bits that follow from a key and a counter alone: Philox 4x32 of ten rounds (Salmon et
/// al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), the first 64 of its 128 bits. So a
/// draw is the same wherever and whenever its element is computed. Of narrower integers the low
/// bits.
struct Philox {
  static constexpr const char* kName = "philox";
  static constexpr const char* kSummary =
      "random bits of a key and a counter: the same pair, the same bits";
  static constexpr FunctionGroup kGroup = FunctionGroup::bits;
  static constexpr const char* kNumpy = "";
  static constexpr const char* kArguments = "key, counter";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_shift;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Same<Integers>;

  template <class T>
  static T apply(T key, T counter) {
    constexpr int kRounds = 10;
    auto key_low = static_cast<uint32_t>(static_cast<uint64_t>(key));
    auto key_high = static_cast<uint32_t>(static_cast<uint64_t>(key) >> 32);
    uint32_t words[4] = {static_cast<uint32_t>(static_cast<uint64_t>(counter)),
                         static_cast<uint32_t>(static_cast<uint64_t>(counter) >> 32), 0, 0};
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
    return static_cast<T>(uint64_t{words[1]} << 32 | words[0]);
  }
};

}  // namespace tessera::expr::TESSERA_ISA

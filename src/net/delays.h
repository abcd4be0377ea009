#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>

namespace tessera::net {

/// How long what travels is held back, so that tests show that nothing depends on it.
struct DelaySettings {
  std::chrono::microseconds longest_delay{0};  // each takes a drawn time up to this
  uint64_t seed = 0;                           // of the draws
};

/// What TESSERA_LINK_DELAY says: MICROSECONDS or MICROSECONDS,SEED. Errors: `user` for anything
/// else.
DelaySettings parse_delays(std::string_view text);

/// Draws when things may travel. Threads: one.
class Delays {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Delays(const DelaySettings& settings)
      : longest_(settings.longest_delay), random_(settings.seed) {}

  /// When something may travel that becomes ready now, and not before something else may.
  Time due(Time earliest = {});

 private:
  std::chrono::microseconds longest_;
  std::mt19937_64 random_;
};

}  // namespace tessera::net

#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>

namespace tessera::net {

/// The delays of messages, so that tests show that nothing depends on timing.
struct DelaySettings {
  std::chrono::microseconds longest_delay{0};  // each is drawn up to this
  uint64_t seed = 0;                           // of the draws
};

/// Reads TESSERA_LINK_DELAY: MICROSECONDS or MICROSECONDS,SEED. Errors: `user` for anything else.
DelaySettings parse_delays(std::string_view text);

/// A generator of the times when messages may travel. Threads: one.
class Delays {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Delays(const DelaySettings& settings)
      : longest_(settings.longest_delay), random_(settings.seed) {}

  /// Returns when something that becomes ready at this moment may travel, not before `earliest`.
  Time due(Time earliest = {});

 private:
  std::chrono::microseconds longest_;
  std::mt19937_64 random_;
};

}  // namespace tessera::net

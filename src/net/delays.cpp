#include "net/delays.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace tessera::net {

namespace {

/// Takes a number, and the text between it and the next, from the front.
bool take_number(std::string_view& text, uint64_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return fault == std::errc();
}

}  // namespace

DelaySettings parse_delays(std::string_view text) {
  std::string_view rest = text;
  uint64_t microseconds = 0;
  uint64_t seed = 0;
  bool is_right = take_number(rest, microseconds) && microseconds <= 60'000'000;
  if (is_right && rest.starts_with(',')) {
    rest.remove_prefix(1);
    is_right = take_number(rest, seed);
  }
  TESSERA_USER_CHECK(
      is_right && rest.empty(),
      "TESSERA_LINK_DELAY is '{}'; it may be microseconds, up to 60000000, and after "
      "a comma the seed of the draws: 2000,7",
      text);
  return {std::chrono::microseconds(microseconds), seed};
}

Delays::Time Delays::due(Time earliest) {
  if (longest_.count() == 0) {
    return earliest;
  }
  std::uniform_int_distribution<int64_t> delay(0, longest_.count());
  return std::max(earliest,
                  std::chrono::steady_clock::now() + std::chrono::microseconds(delay(random_)));
}

}  // namespace tessera::net

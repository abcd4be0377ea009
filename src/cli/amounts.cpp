#include "cli/amounts.h"

#include <utility>

#include <fmt/core.h>

namespace tessera::cli {

std::string seconds_text(double seconds) {
  return seconds >= 1      ? fmt::format("{:.2f} s", seconds)
         : seconds >= 1e-3 ? fmt::format("{:.2f} ms", 1e3 * seconds)
                           : fmt::format("{:.1f} us", 1e6 * seconds);
}

std::string count_text(double count) {
  for (const auto& [unit, name] : {std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (count >= unit) {
      return fmt::format("{:.3g} {}", count / unit, name);
    }
  }
  return fmt::format("{:.3g}", count);
}

}  // namespace tessera::cli

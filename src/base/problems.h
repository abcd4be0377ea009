#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

namespace tessera {

/// Everything that is wrong with a value, in words; nothing if it is sound.
using Problems = std::vector<std::string>;

/// Adds what was found in a part of the value, behind the words that say where, if there are any:
/// "tile t3: ...".
inline void append_problems(Problems& problems, const std::string& where, const Problems& found) {
  for (const std::string& problem : found) {
    problems.push_back(where.empty() ? problem : fmt::format("{}: {}", where, problem));
  }
}

}  // namespace tessera

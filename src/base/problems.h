#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

namespace tessera {

/// Everything that is wrong with a value, in words; empty if it is sound.
using Problems = std::vector<std::string>;

/// Adds the problems of a part of the value, each behind the words for its place, if there are any:
/// "tile t3: ...".
inline void append_problems(Problems& problems, const std::string& where, const Problems& found) {
  for (const std::string& problem : found) {
    problems.push_back(where.empty() ? problem : fmt::format("{}: {}", where, problem));
  }
}

}  // namespace tessera

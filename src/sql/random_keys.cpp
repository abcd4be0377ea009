#include "sql/random_keys.h"

#include <fmt/format.h>

namespace tessera::sql {

int64_t RandomKeys::next() {
  // FNV-1a of 64 bits: texts that differ have keys that differ, on any machine.
  uint64_t hash = 14695981039346656037U;
  for (const char character : fmt::format("{}/{}/{}", seed_, purpose_, num_drawn_++)) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211U;
  }
  return static_cast<int64_t>(hash >> 1);
}

std::pair<std::string, int64_t> RandomKeys::exchange(std::pair<std::string, int64_t> purpose) {
  return {std::exchange(purpose_, std::move(purpose.first)),
          std::exchange(num_drawn_, purpose.second)};
}

}  // namespace tessera::sql

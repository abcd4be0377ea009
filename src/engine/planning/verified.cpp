#include "engine/planning/verified.h"

#include <fmt/ranges.h>

#include "base/error.h"

namespace tessera::engine {

void check_sound(const std::vector<std::string>& problems, const std::string& arrow) {
  if (!problems.empty()) {
    throw_error(ErrorKind::internal, "what {} made does not hold together:\n  {}", arrow,
                fmt::join(problems, "\n  "));
  }
}

}  // namespace tessera::engine

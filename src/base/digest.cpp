#include "base/digest.h"

#include <fmt/format.h>

namespace tessera {

std::string Digest::text() const {
  return fmt::format("{:016x}{:016x}", one_, other_);
}

}  // namespace tessera

#include "base/budget.h"

#include <algorithm>

namespace tessera {

int64_t charged_bytes(int64_t bytes) {
  const int64_t units = (std::min(bytes, kMostBytes) + kMemoryUnit - 1) / kMemoryUnit;
  return std::max<int64_t>(1, units) * kMemoryUnit;
}

}  // namespace tessera

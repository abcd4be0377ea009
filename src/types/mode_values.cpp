#include "types/mode_values.h"

#include "base/error.h"

namespace tessera {

void fail_too_many_modes(size_t ndim) {
  throw_error(ErrorKind::unsupported, "an array of {} modes; an array in memory has at most {}",
              ndim, kMostModes);
}

int64_t num_elements(const ModeValues& extents) {
  int64_t count = 1;
  for (const int64_t extent : extents) {
    count *= extent;
  }
  return count;
}

}  // namespace tessera

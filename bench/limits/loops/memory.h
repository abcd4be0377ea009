#pragma once

#include "row.h"

namespace tessera::bench {

/// The first input to the result as it lies, stored past the caches: what a permutation is measured
/// by, whatever its order.
Limit copy_loop();

/// Reads the first input once, adding up its bytes eight at a time: what a reduction is measured
/// by. Its result is not the row's.
Limit read_loop();

}  // namespace tessera::bench

#pragma once

#include "kernels/kernel.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// Returns the seconds that each of many reads at random places among `bytes` bytes waits for
/// memory, while others are under way: none if a core's cache holds them all.
double random_access_seconds(double bytes, const Caches& caches);

/// Returns the seconds for a row of `row_bytes` bytes at a random place: lines behind the first
/// come sooner.
double random_row_seconds(double row_bytes, double bytes, const Caches& caches);

}  // namespace tessera::kernels

#pragma once

#include "kernels/kernel.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// Seconds that each of many reads at random places among so many bytes waits for memory, while
/// others are under way: none where a core's cache holds them all.
double random_access_seconds(double bytes, const Caches& caches);

/// The same of a row of so many bytes at a random place: the lines behind its first come sooner.
double random_row_seconds(double row_bytes, double bytes, const Caches& caches);

}  // namespace tessera::kernels

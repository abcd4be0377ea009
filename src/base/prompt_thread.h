#pragma once

namespace tessera {

/// Asks the system to run the calling thread soon after it wakes, even if a computing thread has
/// its core, by time slices of 0.1 ms instead of 3: its share of the core stays the same. From
/// Linux 6.12 on; before that, and if it is not allowed, nothing happens.
void ask_for_short_turns();

}  // namespace tessera

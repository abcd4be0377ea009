#pragma once

namespace tessera {

/// Asks the system to run the calling thread soon after it wakes, where one that computes has its
/// core, by turns of 0.1 ms in place of 3: it gets no larger share of the core. From Linux 6.12 on;
/// before that, and where it is not allowed, nothing happens.
void ask_for_short_turns();

}  // namespace tessera

#pragma once

#include <cstdint>

#include "net/launcher.h"

namespace tessera::net {

/// Makes sure, before MPI starts, that it can work here: that processes of one host may copy from
/// one another, or that Open MPI does not try; and that the host has the memory that they share.
/// From here on this process is killed when its parent ends.
///
/// Errors: `resource` if shared memory is short.
///
/// Threads: the one that lives longest, before others are started; it changes the environment.
void prepare_for_mpi(const Launcher& launcher, const Environment& environment);

}  // namespace tessera::net

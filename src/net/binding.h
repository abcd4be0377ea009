#pragma once

#include "net/launcher.h"

namespace tessera::net {

/// Lets this process run on all cores of its host where mpirun has bound it to fewer than an even
/// share of them: unless its user says how, Open MPI binds each of one or two processes to one
/// core, which leaves a process that has threads of its own without the others. What the user says
/// stays.
///
/// Threads: called by the first, before others are started, which inherit what it may run on.
void leave_narrow_binding(const Environment& environment);

}  // namespace tessera::net

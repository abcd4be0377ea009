#pragma once

#include "net/launcher.h"

namespace tessera::net {

/// Lets this process run on all cores of its host if mpirun has bound it to fewer than an even
/// share of them: by default, Open MPI binds each of one or two processes to one core, which leaves
/// a process with threads of its own without the others. A binding that the user chose stays.
///
/// Threads: called by the first, before others are started, which inherit its cores.
void leave_narrow_binding(const Environment& environment);

}  // namespace tessera::net

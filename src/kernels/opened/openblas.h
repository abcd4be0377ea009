#pragma once

#include <cstdint>

namespace tessera::kernels {

/// Opens OpenBLAS, unless that has been done, and lets it map a buffer for each of so many threads
/// that may call it at once: a kernel that calls it does so while it is prepared, where errors can
/// be said. Errors: `resource` where it cannot be opened, or where the process may not have the
/// address space of the buffers: a call that finds none tries for ever. Where it does not know this
/// processor it is loaded with kernels for the instructions that this has.
///
/// It is told to use the calling thread only, and the threads that it starts when it is loaded are
/// ended: they would ask for work, and take turns of the cores, for the first tenth of a second.
/// The threads of a run are the runtime's. The number is the whole process's, and the kernels that
/// call the library are its only owner. Threads: any.
void open_openblas(int32_t threads);

}  // namespace tessera::kernels

#pragma once

#include <cstdint>

namespace tessera::kernels {

/// Opens OpenBLAS, unless it is open, and makes it map a buffer for each of `threads` threads that
/// may call it at once. A kernel that calls it does so while it is prepared, where errors can be
/// reported. Errors: `resource` if it cannot be opened, or if the process may not have the address
/// space of the buffers: a call that finds none retries for ever. If it does not know this
/// processor it is loaded with kernels for the processor's instructions.
///
/// OpenBLAS is set to use the calling thread only, and the threads that it starts when it is loaded
/// are ended: they would ask for work, and take turns of the cores, for the first tenth of a
/// second. The threads of a run are the runtime's. The number is the whole process's, and the
/// kernels that call the library are its only owner. Threads: any.
void open_openblas(int32_t threads);

}  // namespace tessera::kernels

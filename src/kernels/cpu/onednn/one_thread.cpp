#include "kernels/cpu/onednn/one_thread.h"

// Two functions of the OpenMP runtime that oneDNN uses; <omp.h> comes with a compiler, and clang's
// is in another package.
extern "C" {
void omp_set_num_threads(int count);
int omp_get_max_threads();
}

namespace tessera::kernels {

OneThread::OneThread() noexcept : before_(omp_get_max_threads()) {
  omp_set_num_threads(1);
}

OneThread::~OneThread() {
  omp_set_num_threads(before_);
}

}  // namespace tessera::kernels

#include "kernels/context.h"

namespace tessera::kernels {

Context context_for(Context context, bool is_reproducible) {
  if (is_reproducible) {
    context.last_kernel = "reference";
    context.precision = Precision::f32;
  }
  return context;
}

}  // namespace tessera::kernels

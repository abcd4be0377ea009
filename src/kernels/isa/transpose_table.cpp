#include "kernels/isa/transpose_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/transposes.cpp.in makes.
namespace scalar {
TransposeCode all_transposes();
}
namespace avx2 {
TransposeCode all_transposes();
}
namespace avx512 {
TransposeCode all_transposes();
}

TransposeCode transpose_code(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_transposes();
    case Isa::avx2:
      return avx2::all_transposes();
    case Isa::avx512:
      return avx512::all_transposes();
  }
  return {};
}

}  // namespace tessera::kernels

#include "kernels/isa/half_power_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/half_powers.cpp.in makes.
namespace scalar {
HalfPowers all_half_powers();
}
namespace avx2 {
HalfPowers all_half_powers();
}
namespace avx512 {
HalfPowers all_half_powers();
}

HalfPowers half_powers(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_half_powers();
    case Isa::avx2:
      return avx2::all_half_powers();
    case Isa::avx512:
      return avx512::all_half_powers();
  }
  return {};
}

}  // namespace tessera::kernels

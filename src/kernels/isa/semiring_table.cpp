#include "kernels/isa/semiring_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/semirings.cpp.in makes.
namespace scalar {
std::span<const SemiringEntry> all_semirings();
}
namespace avx2 {
std::span<const SemiringEntry> all_semirings();
}
namespace avx512 {
std::span<const SemiringEntry> all_semirings();
}

std::span<const SemiringEntry> semiring_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_semirings();
    case Isa::avx2:
      return avx2::all_semirings();
    case Isa::avx512:
      return avx512::all_semirings();
  }
  return {};
}

}  // namespace tessera::kernels

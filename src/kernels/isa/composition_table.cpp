#include "kernels/isa/composition_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/compositions.cpp.in makes.
namespace scalar {
std::span<const Composition> all_compositions();
}
namespace avx2 {
std::span<const Composition> all_compositions();
}
namespace avx512 {
std::span<const Composition> all_compositions();
}

std::span<const Composition> compositions(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_compositions();
    case Isa::avx2:
      return avx2::all_compositions();
    case Isa::avx512:
      return avx512::all_compositions();
  }
  return {};
}

}  // namespace tessera::kernels

#include "kernels/isa/direct_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/directs.cpp.in makes.
namespace scalar {
std::span<const DirectEntry> all_directs();
}
namespace avx2 {
std::span<const DirectEntry> all_directs();
}
namespace avx512 {
std::span<const DirectEntry> all_directs();
}

std::span<const DirectEntry> direct_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_directs();
    case Isa::avx2:
      return avx2::all_directs();
    case Isa::avx512:
      return avx512::all_directs();
  }
  return {};
}

}  // namespace tessera::kernels

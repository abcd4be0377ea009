#include "kernels/isa/best_position_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/best_positions.cpp.in makes.
namespace scalar {
std::span<const BestPositionEntry> all_best_positions();
}
namespace avx2 {
std::span<const BestPositionEntry> all_best_positions();
}
namespace avx512 {
std::span<const BestPositionEntry> all_best_positions();
}

std::span<const BestPositionEntry> best_position_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_best_positions();
    case Isa::avx2:
      return avx2::all_best_positions();
    case Isa::avx512:
      return avx512::all_best_positions();
  }
  return {};
}

}  // namespace tessera::kernels

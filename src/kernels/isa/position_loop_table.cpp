#include "kernels/isa/position_loop_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/positions.cpp.in makes.
namespace scalar {
std::span<const PositionLoops> all_position_loops();
}
namespace avx2 {
std::span<const PositionLoops> all_position_loops();
}
namespace avx512 {
std::span<const PositionLoops> all_position_loops();
}

std::span<const PositionLoops> position_loops(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_position_loops();
    case Isa::avx2:
      return avx2::all_position_loops();
    case Isa::avx512:
      return avx512::all_position_loops();
  }
  return {};
}

}  // namespace tessera::kernels

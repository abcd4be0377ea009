#include "kernels/isa/lane_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/lanes.cpp.in makes.
namespace scalar {
std::span<const LaneEntry> all_lanes();
}
namespace avx2 {
std::span<const LaneEntry> all_lanes();
}
namespace avx512 {
std::span<const LaneEntry> all_lanes();
}

std::span<const LaneEntry> lane_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_lanes();
    case Isa::avx2:
      return avx2::all_lanes();
    case Isa::avx512:
      return avx512::all_lanes();
  }
  return {};
}

}  // namespace tessera::kernels

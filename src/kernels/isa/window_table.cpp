#include "kernels/isa/window_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/windows.cpp.in makes.
namespace scalar {
std::span<const WindowEntry> all_windows();
}
namespace avx2 {
std::span<const WindowEntry> all_windows();
}
namespace avx512 {
std::span<const WindowEntry> all_windows();
}

std::span<const WindowEntry> window_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_windows();
    case Isa::avx2:
      return avx2::all_windows();
    case Isa::avx512:
      return avx512::all_windows();
  }
  return {};
}

}  // namespace tessera::kernels

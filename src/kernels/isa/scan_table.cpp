#include "kernels/isa/scan_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/scans.cpp.in makes.
namespace scalar {
std::span<const ScanEntry> all_scans();
}
namespace avx2 {
std::span<const ScanEntry> all_scans();
}
namespace avx512 {
std::span<const ScanEntry> all_scans();
}

std::span<const ScanEntry> scan_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_scans();
    case Isa::avx2:
      return avx2::all_scans();
    case Isa::avx512:
      return avx512::all_scans();
  }
  return {};
}

}  // namespace tessera::kernels

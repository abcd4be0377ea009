#include "kernels/isa/chain_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/chains.cpp.in makes.
namespace scalar {
std::span<const ChainEntry> all_chains();
}
namespace avx2 {
std::span<const ChainEntry> all_chains();
}
namespace avx512 {
std::span<const ChainEntry> all_chains();
}

std::span<const ChainEntry> chain_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_chains();
    case Isa::avx2:
      return avx2::all_chains();
    case Isa::avx512:
      return avx512::all_chains();
  }
  return {};
}

}  // namespace tessera::kernels

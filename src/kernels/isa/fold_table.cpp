#include "kernels/isa/fold_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/folds.cpp.in makes.
namespace scalar {
std::span<const FoldEntry> all_folds();
}
namespace avx2 {
std::span<const FoldEntry> all_folds();
}
namespace avx512 {
std::span<const FoldEntry> all_folds();
}

std::span<const FoldEntry> fold_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_folds();
    case Isa::avx2:
      return avx2::all_folds();
    case Isa::avx512:
      return avx512::all_folds();
  }
  return {};
}

}  // namespace tessera::kernels

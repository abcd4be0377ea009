#include "kernels/isa/merged_function_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/merged_functions.cpp.in makes.
namespace scalar {
std::span<const MergedFunction> all_merged_functions();
}
namespace avx2 {
std::span<const MergedFunction> all_merged_functions();
}
namespace avx512 {
std::span<const MergedFunction> all_merged_functions();
}

std::span<const MergedFunction> merged_functions(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_merged_functions();
    case Isa::avx2:
      return avx2::all_merged_functions();
    case Isa::avx512:
      return avx512::all_merged_functions();
  }
  return {};
}

}  // namespace tessera::kernels

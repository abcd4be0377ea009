#include "kernels/isa/row_merge_table.h"

namespace tessera::kernels {

using RowMergeTable = std::span<const RowMergeEntry>;

// Defined in the sources that isa/row_merges.cpp.in makes.
namespace scalar {
std::span<const RowMergeTable> all_row_merges();
}
namespace avx2 {
std::span<const RowMergeTable> all_row_merges();
}
namespace avx512 {
std::span<const RowMergeTable> all_row_merges();
}

namespace {

std::span<const RowMergeTable> tables_of(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_row_merges();
    case Isa::avx2:
      return avx2::all_row_merges();
    case Isa::avx512:
      return avx512::all_row_merges();
  }
  return {};
}

}  // namespace

const RowMergeEntry* find_row_merge(std::string_view function, DType type, Isa isa) {
  for (const Isa from : {isa, Isa::scalar}) {
    for (const RowMergeTable table : tables_of(from)) {
      for (const RowMergeEntry& entry : table) {
        if (entry.function == function && entry.type == type && entry.merge != nullptr) {
          return &entry;
        }
      }
    }
  }
  return nullptr;
}

}  // namespace tessera::kernels

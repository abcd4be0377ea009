#include "kernels/isa/row_merge_table.h"

namespace tessera::kernels {

const RowMergeEntry* find_row_merge(std::string_view function, DType type, Isa isa) {
  for (const Isa from : {isa, Isa::scalar}) {
    for (const RowMergeTable table : row_merge_tables(from)) {
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

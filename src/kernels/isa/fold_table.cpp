#include "kernels/isa/fold_table.h"

namespace tessera::kernels {

// Defined in the sources that isa/folds.cpp.in and isa/columns.cpp.in make.
namespace scalar {
std::span<const FoldEntry> all_folds();
std::span<const LogSumExpFold> all_logsumexp_folds();
std::span<const ColumnEntry> all_columns();
}  // namespace scalar
namespace avx2 {
std::span<const FoldEntry> all_folds();
std::span<const LogSumExpFold> all_logsumexp_folds();
std::span<const ColumnEntry> all_columns();
}  // namespace avx2
namespace avx512 {
std::span<const FoldEntry> all_folds();
std::span<const LogSumExpFold> all_logsumexp_folds();
std::span<const ColumnEntry> all_columns();
}  // namespace avx512

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

std::span<const LogSumExpFold> logsumexp_folds(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_logsumexp_folds();
    case Isa::avx2:
      return avx2::all_logsumexp_folds();
    case Isa::avx512:
      return avx512::all_logsumexp_folds();
  }
  return {};
}

std::span<const ColumnEntry> column_entries(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::all_columns();
    case Isa::avx2:
      return avx2::all_columns();
    case Isa::avx512:
      return avx512::all_columns();
  }
  return {};
}

}  // namespace tessera::kernels

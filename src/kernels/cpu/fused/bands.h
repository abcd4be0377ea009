#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "kernels/cpu/fused/outline.h"

namespace tessera::kernels {

/// The length of a band by label of the program; the whole extent for labels that are no band
/// labels.
using BandLengths = std::vector<int64_t>;

/// Returns band lengths worth a prediction, each grown along the band labels in another order. A
/// band's results and the operands that several statements read of it are together at most
/// `band_bytes`, unless one position of the band labels already is more.
std::vector<BandLengths> candidate_lengths(const Outline& outline, int64_t band_bytes);

/// Returns the bytes that should stay in the cache while a band runs: its results, and the inputs
/// that several statements read.
int64_t working_bytes(const Outline& outline, const BandLengths& lengths);

/// Returns the bytes of a result, or of an access; of a band, or of the whole call.
int64_t bytes_of(const Outline& outline, const BandLengths& lengths, const FusedResult& result);
int64_t bytes_of(const Outline& outline, const BandLengths& lengths, const expr::Access& access,
                 DType dtype, bool per_band);

/// True if a band reads only a part of an operand.
bool is_read_in_bands(const Outline& outline, const expr::Access& access);

/// True if the next band reads another part of an operand: it has the label that moves fastest.
bool moves_on(const Outline& outline, const BandLengths& lengths, const expr::Access& access);

/// Returns the ranges of a full band, or of the whole call.
std::vector<LabelRange> ranges_of(const Outline& outline, const BandLengths& lengths,
                                  bool per_band);

/// Returns the number of bands; the last one counts in proportion.
double num_bands(const Outline& outline, const BandLengths& lengths);

/// True if the elements of every band are contiguous in the dense output.
bool is_dense_in_output(const Outline& outline, const BandLengths& lengths);

/// Calls `visit(statement, access, dtype)` for every operand of every statement run per band, once.
template <class Visit>
void for_reads_of_bands(const Outline& outline, Visit visit) {
  for (int number = 0; number <= outline.last(); ++number) {
    if (!outline.runs_per_band(number)) {
      continue;
    }
    std::set<int32_t> seen;
    expr::for_each_access(outline.statement(number), [&](const expr::Access& access, DType dtype) {
      if (seen.insert(access.operand).second) {
        visit(number, access, dtype);
      }
    });
  }
}

}  // namespace tessera::kernels

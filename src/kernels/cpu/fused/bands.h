#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "kernels/cpu/fused/outline.h"

namespace tessera::kernels {

/// The length of a band by label of the program; whole for those that are no band labels.
using BandLengths = std::vector<int64_t>;

/// Lengths worth a prediction, each grown along the band labels in another order. A band's results
/// and what several statements read of it are together at most `band_bytes`, where one position of
/// the band labels is not more already.
std::vector<BandLengths> candidate_lengths(const Outline& outline, int64_t band_bytes);

/// What should stay in the cache while a band runs: its results, and the inputs that several
/// statements read.
int64_t working_bytes(const Outline& outline, const BandLengths& lengths);

/// Bytes of a result, or of what an access reads; of a band, or of all that a call runs over.
int64_t bytes_of(const Outline& outline, const BandLengths& lengths, const FusedResult& result);
int64_t bytes_of(const Outline& outline, const BandLengths& lengths, const expr::Access& access,
                 DType dtype, bool per_band);

/// Whether a band reads only a part of an operand.
bool is_read_in_bands(const Outline& outline, const expr::Access& access);

/// Whether the next band reads another part of an operand: it has the label that moves fastest.
bool moves_on(const Outline& outline, const BandLengths& lengths, const expr::Access& access);

/// The ranges of a full band, or of the whole call.
std::vector<LabelRange> ranges_of(const Outline& outline, const BandLengths& lengths,
                                  bool per_band);

/// How many bands there are; the last one counts as the part that it is.
double num_bands(const Outline& outline, const BandLengths& lengths);

/// Whether the elements of every band lie one after the other in the dense output.
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

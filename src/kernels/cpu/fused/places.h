#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/fused/bands.h"

namespace tessera::kernels {

/// The place of a statement's result while a fused program runs.
struct ResultPlace {
  int output = -1;     // in the band of that output, or, if it is -1,
  int64_t offset = 0;  // at these bytes of the workspace
};

/// The places of all results of a program.
struct ResultPlaces {
  std::vector<ResultPlace> places;  // by operand, without the inputs
  int64_t bytes = 0;                // of workspace, for those in no output
};

/// Gives every result its place, the last ones first: an overwritten result lies at its successor's
/// place, and results that do not live at the same time share bytes. Outputs also lie in the
/// workspace if a band of them has holes (`is_output_dense` is false).
ResultPlaces place_results(const Outline& outline, const BandLengths& lengths,
                           bool is_output_dense);

}  // namespace tessera::kernels

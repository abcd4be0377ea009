#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/fused/statements.h"
#include "kernels/registry.h"

namespace tessera::kernels {

/// Where a result of a statement lies while a fused program runs.
struct ResultPlace {
  int output = -1;     // in the band of that output, or, where it is -1,
  int64_t offset = 0;  // at these bytes of the workspace
};

/// How a program of several statements is run: by bands of the labels in `bands`, the statements
/// one after the other within each, their results in memory that stays in the cache.
struct FusedPlan {
  std::vector<StatementPart> parts;
  BandLabels bands;
  std::vector<int64_t> lengths;     // of a band, by label of the program; the last may be shorter
  std::vector<ResultPlace> places;  // by operand, without the inputs
  int64_t result_bytes = 0;         // of workspace for results that are no output
  bool is_output_dense = true;      // a band of the output has no holes
  Cost cost;
};

/// The kernels that run single statements. Threads: any number.
const Registry& statement_kernels();

/// The kernel that runs a statement on calls of the given size within calls of the size `whole`:
/// that which would run it alone, so that fusing changes no order of a sum, unless it refuses.
const Kernel& kernel_within(const StatementPart& part, const CallShape& whole,
                            const CallShape& shape);

/// Chooses the lengths of a band with the least predicted time. REQUIRES two statements or more.
///
/// A band's results and what several statements read of it are together at most `band_bytes`, where
/// one position of the band labels is not more already. A result
/// that an element-wise statement reads last is overwritten by it.
FusedPlan plan_fused(const expr::TileProgram& program, const CallShape& shape, int64_t band_bytes);

}  // namespace tessera::kernels

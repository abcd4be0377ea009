#pragma once

#include <optional>
#include <vector>

#include "kernels/context.h"
#include "kernels/cpu/fused/bands.h"
#include "kernels/cpu/fused/places.h"
#include "kernels/cpu/fused/statements.h"

namespace tessera::kernels {

/// How one statement of a fused program is run.
struct FusedStatement {
  StatementPart part;
  KernelPlan kernel;                       // for a full band, or the whole call
  std::optional<KernelPlan> shorter = {};  // for the last band, where that is shorter
};

/// How a program of several statements is run: by bands of the labels in `bands`, the statements
/// one after the other within each, their results in memory that stays in the cache.
struct FusedPlan {
  std::vector<FusedStatement> statements;
  BandLabels bands;
  BandLengths lengths;          // of a band; the last may be shorter
  ResultPlaces results;         // where they lie
  bool is_output_dense = true;  // a band of the output has no holes
  int64_t statement_bytes = 0;  // of workspace for the kernel of one statement
  Cost cost;

  int64_t workspace_bytes() const;
};

/// Chooses the lengths of a band with the least predicted time, for bands that stay in a core's
/// cache. A refusal where no kernel of the context runs one of the statements. REQUIRES two
/// statements or more.
OrRefusal<FusedPlan> plan_fused(const expr::TileProgram& program, const CallShape& shape,
                                const Context& context);

}  // namespace tessera::kernels

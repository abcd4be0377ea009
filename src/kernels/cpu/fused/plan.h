#pragma once

#include <optional>
#include <vector>

#include "kernels/context.h"
#include "kernels/cpu/fused/bands.h"
#include "kernels/cpu/fused/places.h"
#include "kernels/cpu/fused/statements.h"

namespace tessera::kernels {

/// The plan of one statement of a fused program.
struct FusedStatement {
  StatementPart part;
  KernelPlan kernel;                       // for a full band, or the whole call
  std::optional<KernelPlan> shorter = {};  // for the last band, if that is shorter
};

/// The plan of a program of several statements: bands of the labels in `bands`, the statements one
/// after the other within each, and their results in memory that stays in the cache.
struct FusedPlan {
  std::vector<FusedStatement> statements;
  BandLabels bands;
  BandLengths lengths;          // of a band; the last may be shorter
  ResultPlaces results;         // their places
  bool is_output_dense = true;  // a band of the output has no holes
  int64_t statement_bytes = 0;  // of workspace for the kernel of one statement
  Cost cost;

  int64_t workspace_bytes() const;
};

/// Chooses the band lengths with the least predicted time, for bands that stay in a core's cache. A
/// refusal if no kernel of the context runs one of the statements. REQUIRES two statements or more.
OrRefusal<FusedPlan> plan_fused(const expr::TileProgram& program, const CallShape& shape,
                                const Context& context);

}  // namespace tessera::kernels

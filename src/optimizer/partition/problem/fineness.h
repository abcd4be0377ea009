#pragma once

#include <cstdint>
#include <optional>

#include "machine/machine.h"
#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"

namespace tessera::optimizer::partition {

/// The granularity of a graph's cuts: for every statement, the number of kernel calls it is divided
/// into.
///
/// That is `pieces` calls. (If labels are sliced (model/options.h), every slice has as many.) A
/// statement that is too small to give all of them work may have fewer: any divisor of `pieces`,
/// down to the number of calls that it has work for.
struct Fineness {
  int64_t pieces = 1;
  int64_t workers = 1;              // to keep busy
  int64_t independent_tiles = 1;    // of a result, to be made side by side
  double most_call_bytes = 0;       // of the tiles of one call; 0: no bound
  bool is_forced = false;           // by the user: only small statements may have fewer
  double largest_affordable = 1.0;  // calls that the largest statement has work for
  int64_t sites = 1;                // that divide the calls
  Link network;                     // between these sites
  double most_calls = 0;            // of a statement, if several sites divide them
  std::optional<FileCosts> files;   // of file input and output; if none, it is free
  Granularity granularity = {};
};

/// Returns the number of calls that a slice of a statement has work for: each has at least the
/// operations or bytes that are worth a call. At least 1.
double affordable_calls(const StatementModel& statement, const Granularity& granularity);

/// Returns the fewest calls that a slice of a statement may have at a fineness.
int64_t fewest_calls(const StatementModel& statement, const Fineness& fineness);

/// Returns the fineness of a graph's cuts, before any bound on bytes.
///
/// Without a number of pieces: 1 if every statement is small; else at least four calls for each of
/// several workers, so that they end together, and calls whose tiles stay in a core's share of the
/// cache (grouped elements excepted), as far as the largest statement has work for them. Fewer if
/// many statements would make a plan that itself takes much memory.
Fineness fineness_of(const Model& model, const PartitionOptions& options);

}  // namespace tessera::optimizer::partition

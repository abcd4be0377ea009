#pragma once

#include <cstdint>
#include <optional>

#include "machine/machine.h"
#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"

namespace tessera::optimizer::partition {

/// How finely the statements of a graph are to be cut: for every statement, how many kernel calls
/// it is divided into.
///
/// That is `pieces` calls. (Where labels are sliced (model/options.h), every slice has so many.) A
/// statement that is too small to give so many calls work may have fewer: any divisor of `pieces`,
/// down to the number of calls that it has work for.
struct Fineness {
  int64_t pieces = 1;
  int64_t workers = 1;              // that are to have work
  int64_t independent_tiles = 1;    // of a result, that are to be made side by side
  double most_call_bytes = 0;       // of the tiles of one call; 0: no bound
  bool is_forced = false;           // by the user: only what is small beside the rest has fewer
  double largest_affordable = 1.0;  // calls that the largest statement gives work
  int64_t sites = 1;                // that divide the calls
  Link network;                     // between these
  double most_calls = 0;            // of a statement, where several sites divide them
  std::optional<FileCosts> files;   // of what is read and written; none: it costs nothing
  Granularity granularity = {};
};

/// Calls of a slice of a statement that are not starved: each has the least operations or bytes
/// that are worth a call. At least 1.
double affordable_calls(const StatementModel& statement, const Granularity& granularity);

/// The fewest calls that a slice of a statement may have at a fineness.
int64_t fewest_calls(const StatementModel& statement, const Fineness& fineness);

/// The fineness of a graph's cuts before a bound on bytes is looked at.
///
/// Without a number of pieces: 1 where every statement is small; else at least four calls for each
/// of several workers, so that they end together, and calls whose tiles stay in a core's share of
/// the cache, but of what is grouped, as far as the largest statement affords them; fewer where
/// many statements would make a plan that takes much memory itself.
Fineness fineness_of(const Model& model, const PartitionOptions& options);

}  // namespace tessera::optimizer::partition

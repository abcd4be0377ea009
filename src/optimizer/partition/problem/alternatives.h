#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/problem/fineness.h"

namespace tessera::optimizer::partition {

/// The cuts of one tensor of a statement, an operand or the result, by its alternatives.
///
/// Alternatives that cut it the same way are one class. The cost of a repartition depends on the
/// classes at its two ends, so it is counted once for each pair of classes.
struct Cuts {
  std::vector<int32_t> class_of;              // by alternative
  std::vector<std::vector<int64_t>> lengths;  // by class, by mode
};

/// The alternatives of a statement with their costs, from which planners choose.
///
/// Preferred ones come first, because planners take the first of several equal costs. Fewer partial
/// results are preferred, then fewer calls, then results in longer rows, which suit files.
struct Alternatives {
  std::vector<std::vector<int64_t>> piece_lengths;  // by alternative, by label
  std::vector<double> join;                         // cost by alternative
  std::vector<double> aggregation;
  std::vector<double> files;          // seconds of reading inputs and writing results, as numbers
  std::vector<double> handed_on;      // of rows that are reduced in pieces
  std::vector<double> reloaded;       // of tiles that leave the cache, if fewer calls may
                                      // be worth that
  std::vector<double> between_sites;  // seconds of communication between sites, as numbers
  std::vector<bool> merged_apart;     // Partitioning::merged_apart
  Cuts out;
  std::vector<Cuts> operands;  // by operand

  size_t size() const { return piece_lengths.size(); }
  double own_cost(size_t alternative) const {
    return join[alternative] + aggregation[alternative] + files[alternative] +
           handed_on[alternative] + reloaded[alternative] + between_sites[alternative];
  }
};

/// Returns the alternatives of a statement at a fineness; none if all exceed the bound on bytes.
///
/// Unless the user forces a number of pieces, four more rules hold:
/// - A result has as many tiles as there are workers, if some alternative has: merges into one tile
/// run one after the other. With several sites, each merges its part before it sends it, so tiles
/// for all sites and for the workers of one site are enough. Or the partial results are so small
/// that every call makes its own (merged_apart).
/// - Rows that are reduced within one tensor stay whole if there are enough of them. An alternative
/// that cuts them has a cost for that (handed_on).
/// - On several sites there may be more calls, if the sites can then divide them with less
/// communication (between_sites).
/// - A statement that copies elements from files into files may have fewer calls than would keep
/// its tiles in the cache, at a cost (reloaded): longer tiles have longer runs of bytes.
Alternatives alternatives_of(const StatementModel& statement, const Fineness& fineness);

/// Returns the fewest bytes that one call of the statement can have at a fineness.
double fewest_call_bytes(const StatementModel& statement, const Fineness& fineness);

}  // namespace tessera::optimizer::partition

#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/problem/fineness.h"

namespace tessera::optimizer::partition {

/// How a statement's alternatives cut one tensor that it reads or makes.
///
/// Several alternatives may cut it the same way; they are one class. What a repartition costs
/// depends on the classes at its two ends, so it is counted once for each pair of classes.
struct Cuts {
  std::vector<int32_t> class_of;              // by alternative
  std::vector<std::vector<int64_t>> lengths;  // by class, by mode
};

/// The ways in which a statement may be cut, and what each costs: what planners choose from.
///
/// The preferred ones come first, as planners take the first of several that cost the same. Fewer
/// partial results are preferred, then fewer calls, then results cut into longer rows, which is how
/// files hold them.
struct Alternatives {
  std::vector<std::vector<int64_t>> piece_lengths;  // by alternative, by label
  std::vector<double> join;                         // cost by alternative
  std::vector<double> aggregation;
  std::vector<double> files;      // seconds of reading inputs and writing results, as numbers
  std::vector<double> handed_on;  // of rows that are reduced in pieces
  std::vector<double> reloaded;   // of tiles that do not stay in the cache, where fewer calls may
                                  // be worth that
  std::vector<double> between_sites;  // seconds of what moves between sites, as numbers
  std::vector<bool> merged_apart;     // Partitioning::merged_apart
  Cuts out;
  std::vector<Cuts> operands;  // by operand

  size_t size() const { return piece_lengths.size(); }
  double own_cost(size_t alternative) const {
    return join[alternative] + aggregation[alternative] + files[alternative] +
           handed_on[alternative] + reloaded[alternative] + between_sites[alternative];
  }
};

/// The alternatives of a statement at a fineness; none if all exceed the bound on bytes.
///
/// Unless the user forces a number of pieces, four more things are asked for:
/// - A result has as many tiles as there are workers, where some alternative has: what is merged
///   into one tile is merged one after the other. Of several sites each merges what it has before
///   it sends that: as many as there are sites, and as one of them has workers, will do. Or its
///   partial results are so small that every call makes its own (merged_apart).
/// - Rows that are reduced within one tensor stay whole where there are enough of them. An
///   alternative that cuts them has a cost for that (handed_on).
/// - On several sites, calls may be more where that lets sites divide them with less that moves
///   between them (between_sites).
/// - A statement that carries elements from files into files may have fewer calls than would keep
///   its tiles in the cache, at a cost (reloaded): longer tiles have longer runs of bytes.
Alternatives alternatives_of(const StatementModel& statement, const Fineness& fineness);

/// The fewest bytes that one call of the statement can have at a fineness.
double fewest_call_bytes(const StatementModel& statement, const Fineness& fineness);

}  // namespace tessera::optimizer::partition

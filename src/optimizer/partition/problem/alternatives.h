#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/problem/fineness.h"

namespace tessera::optimizer::partition {

/// A tensor's cuts, as the alternatives of a statement have them: several alternatives may cut one
/// tensor equally, and then cost the same to the other end of a dependency.
struct Cuts {
  std::vector<int32_t> class_of;              // by alternative
  std::vector<std::vector<int64_t>> lengths;  // by class, by mode
};

/// The ways in which a statement may be cut, the preferred ones first: they have fewer partial
/// results, fewer calls, and then longer last modes of the result, as rows are what files have.
/// Solvers take the first of several that cost the same.
struct Alternatives {
  std::vector<std::vector<int64_t>> piece_lengths;  // by alternative, by label
  std::vector<double> join;                         // cost by alternative
  std::vector<double> aggregation;
  std::vector<double> files;       // seconds of reading inputs and writing results, as numbers
  std::vector<double> handed_on;   // of rows that are reduced in pieces
  std::vector<double> reloaded;    // of tiles that do not stay in the cache, where fewer calls may
                                   // be worth that
  std::vector<bool> merged_apart;  // Partitioning::merged_apart
  Cuts out;
  std::vector<Cuts> operands;  // by operand

  size_t size() const { return piece_lengths.size(); }
  double own_cost(size_t alternative) const {
    return join[alternative] + aggregation[alternative] + files[alternative] +
           handed_on[alternative] + reloaded[alternative];
  }
};

/// The alternatives of a statement at a fineness; none if all exceed the bound on bytes.
///
/// Unless the user forces a number of pieces: results are to have as many tiles as there are
/// workers where some alternative has, since what is merged into one tile is merged one after the
/// other, or partial results so small that every call makes its own; and rows that are reduced
/// within one tensor are to stay whole where there are enough of them, at a cost if they do not.
/// What carries elements from files into files may have fewer calls than keep tiles in the cache,
/// at a cost, as longer tiles have longer runs of bytes.
Alternatives alternatives_of(const StatementModel& statement, const Fineness& fineness);

/// The fewest bytes that one call of the statement can have at a fineness.
double fewest_call_bytes(const StatementModel& statement, const Fineness& fineness);

}  // namespace tessera::optimizer::partition

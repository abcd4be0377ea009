#pragma once

#include <cstdint>

#include "base/diagnostic.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// What stands behind the name of a statement that keeps, in those that it is said in.
namespace kept_names {
inline constexpr const char* kKept = ".kept";      // whether a position is kept
inline constexpr const char* kCount = ".count";    // how many are
inline constexpr const char* kBefore = ".before";  // how many are before a position
inline constexpr const char* kRows = ".rows";      // those that are
inline constexpr const char* kWhole = ".whole";    // what is kept, at all positions
}  // namespace kept_names

/// Says in statements of the language what has an extent that only a run can tell, with a
/// CountStatement where it does:
///
/// `Z[i,j] = keep[i where c] x` is
///
///     Z.kept[i] = b1(c)
///     count Z.count = sum[i] i64(Z.kept[i])
///     Z.before[i] = cumsum[i exclusive] i64(Z.kept[i])
///     Z.rows[Z.before[i] of Z.count] = sum[i where Z.kept[i]] index(i)
///     Z.whole[i,j] = x
///     Z[i,j] = Z.whole[Z.rows[i], j]
///
/// How long i is before the condition and x say together, as in one statement: Z.kept and Z.whole
/// are that long. What `label` declares of i is not of the last statement, whose i is shorter.
///
/// Where an earlier statement keeps a label as long by a condition in the same words, the binder
/// has its rows stand for Z.rows, so that one round counts for both: Z.kept is of the condition
/// alone.
///
/// Z.whole must not fail where Z.kept is false: nothing is read there.
///
/// For an index on the left that groups, and does not say of how many groups, its largest value,
/// `Y.groups = max[n] maximum(i64(G[n]), 0)`, is kept with the statement: whether it is needed
/// shows when labels have extents. An element that no aggregate takes counts as well, unless its
/// number is negative or may not exist. No name of a user's has a dot.
///
/// Findings: a keep that is not all of a right side, that has not one label, which stands on the
/// left, or no condition.
ProgramSyntax with_counts(ProgramSyntax syntax, Diagnostics& findings);

/// The largest value of an index that groups no element.
inline constexpr int64_t kNoElement = INT64_MIN;

/// Returns the number of groups of an index with this largest value.
int64_t num_groups_of(int64_t largest);

}  // namespace tessera::frontend

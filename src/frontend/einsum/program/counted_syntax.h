#pragma once

#include <cstdint>

#include "base/diagnostic.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// The endings of the names of the statements that a keep is desugared to.
namespace kept_names {
inline constexpr const char* kKept = ".kept";      // true at positions that are kept
inline constexpr const char* kCount = ".count";    // the number of kept positions
inline constexpr const char* kBefore = ".before";  // the number of those before each position
inline constexpr const char* kRows = ".rows";      // the kept positions
inline constexpr const char* kWhole = ".whole";    // the kept expression, at all positions
}  // namespace kept_names

/// Desugars statements whose extents only a run can tell into plain statements, with a
/// CountStatement for each such extent:
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
/// The extent of i before the keep follows from the condition and x together, as in one statement:
/// Z.kept and Z.whole have that extent. A declaration of i by `label` does not hold in the last
/// statement, whose i is shorter.
///
/// If an earlier statement keeps a label of the same extent by a condition in the same words, the
/// binder uses its rows for Z.rows, so that one round counts for both: Z.kept depends on the
/// condition alone.
///
/// Z.whole must not fail where Z.kept is false: nothing reads it there.
///
/// An index on the left may group without giving the number of groups. Its largest value, `Y.groups
/// = max[n] maximum(i64(G[n]), 0)`, is kept with the statement: the binder uses it if it is needed,
/// which shows when labels have extents. An element that no aggregate takes counts as well, unless
/// its number is negative or may not exist. No name of a user's has a dot.
///
/// Findings: a keep that is not the whole right side, or that has no condition, or not exactly one
/// label, which must stand on the left.
ProgramSyntax with_counts(ProgramSyntax syntax, Diagnostics& findings);

/// The largest value of an index that groups no elements.
inline constexpr int64_t kNoElement = INT64_MIN;

/// Returns the number of groups of an index with this largest value.
int64_t num_groups_of(int64_t largest);

}  // namespace tessera::frontend

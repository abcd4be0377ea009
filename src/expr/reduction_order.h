#pragma once

#include <string>
#include <vector>

#include "expr/aggregate.h"
#include "expr/tile_program.h"

namespace tessera::expr {

/// True if the result of merging states does not depend on the order: integers wrap, and aggregates
/// with Aggregate::picks_argument round nothing.
///
/// A float or complex state that is added, multiplied or exponentiated is rounded at every step, so
/// its last bits depend on the order. A user's own aggregate over floats is assumed to be of this
/// kind: whether it is associative to the bit is unknown.
bool merges_exactly(const Monoid& monoid, const AggregateRegistry& aggregates);

/// True if the merge of a part may leave a type's range though the running values, one element
/// after the other, are in it: a product of many large numbers overflows, while after a 0 all are
/// 0. Sums and choices of floats do not, except for values near the largest of the type.
bool may_lose_range(const Monoid& monoid);

/// True if a state is rounded wherever it is stored, so that every cut shows: one of f16, which the
/// text of a stage may have.
bool is_stored_narrow(const Monoid& monoid);

/// The most positions of a leaf, unless one position of its label has more: enough that a matrix
/// product works on whole panels and that merging leaves costs little, few enough that tensors can
/// be cut between them.
constexpr int64_t kLeafPositions = 512;

/// Returns the leaf of a reduction over whole tensors of these extents. It is on the longest of the
/// reduced labels (the first of several), which leaves the most places to cut; its length is the
/// largest power of two with which the leaf has at most kLeafPositions positions, at least 1.
///
/// It depends on the extents alone, not on the cuts of tensors. REQUIRES a reduced label.
Leaf leaf_of(const std::vector<LabelDecl>& labels, const std::vector<LabelNumber>& over);

/// True if a reduction gives the same bits for any cuts only in a stated order. One that does not
/// commute is merged in the order of its label, which is cut like a scan's, so it needs none.
bool needs_leaf(const Reduce& reduce, const AggregateRegistry& aggregates);

/// Returns the length of the pieces of a scan whose merging rounds, which does not depend on other
/// cuts. A piece has 64 Ki elements of the result or more, and at least 4096 positions, so that a
/// tile is scanned in the cache and the states before it are few; always a power of two.
///
/// `positions` are those of the label, and `lines` the lines scanned along it: the product of all
/// other extents of the result.
int64_t scan_piece(int64_t positions, int64_t lines);

/// Returns the program with the leaf of every reduction that needs one.
TileProgram with_leaves(TileProgram program, const AggregateRegistry& aggregates);

/// Returns what makes the bits of a program depend on cuts: reductions that need a leaf and state
/// none, or another than leaf_of() the labels.
std::vector<std::string> problems_of_leaves(const TileProgram& program,
                                            const AggregateRegistry& aggregates);

}  // namespace tessera::expr

#pragma once

#include <string>
#include <vector>

#include "expr/aggregate.h"
#include "expr/tile_program.h"

namespace tessera::expr {

/// Whether the result of merging states does not depend on the order: integers wrap, and what
/// Aggregate::picks_argument is said of rounds nothing.
///
/// A float or complex state that is added, multiplied or exponentiated is rounded at every step, so
/// its last bits depend on the order. An aggregate that a user made over floats is taken to be of
/// this kind whatever it does: that it is associative to the bit is not known.
bool merges_exactly(const Monoid& monoid, const AggregateRegistry& aggregates);

/// True if parts may merge to what is out of a type's range though the running values, one element
/// after the other, are in it: a product of many large numbers overflows, and after a 0 all are 0.
/// Sums and choices of floats do not, but for values near the largest of the type.
bool may_lose_range(const Monoid& monoid);

/// Whether a state is rounded wherever it is stored, so that every cut shows: one of f16, which
/// the text of a stage may have.
bool is_stored_narrow(const Monoid& monoid);

/// Positions that a leaf has at most, unless one position of its label has more: enough that a
/// matrix product works on whole panels and that merging leaves costs little, few enough that
/// tensors can be cut between them.
constexpr int64_t kLeafPositions = 512;

/// The leaf of a reduction over whole tensors of these extents. Of the reduced labels it stands on
/// the longest (the first of several), where it leaves the most places to cut; its length is the
/// largest power of two with which the leaf has at most kLeafPositions positions, at least 1.
///
/// It depends on the extents alone, not on how tensors are cut. REQUIRES a reduced label.
Leaf leaf_of(const std::vector<LabelDecl>& labels, const std::vector<LabelNumber>& over);

/// Whether a reduction gives the same bits for any cuts only in a stated order. One that does not
/// commute is merged in the order of its label, which is cut as a scan's: it needs none.
bool needs_leaf(const Reduce& reduce, const AggregateRegistry& aggregates);

/// Pieces of a scan whose merging rounds: every so many positions of its label, whatever else is
/// cut. Of 64 Ki elements of the result and more, where that is 4096 positions or more, so that a
/// tile is scanned in the cache and what comes before it is little; always a power of two.
///
/// `positions` of the label, and the `lines` that are scanned along it: the product of all other
/// extents of the result.
int64_t scan_piece(int64_t positions, int64_t lines);

/// The program with the leaf of every reduction that needs one.
TileProgram with_leaves(TileProgram program, const AggregateRegistry& aggregates);

/// What keeps the bits of a program from being those of any cuts: reductions that need a leaf and
/// state none, or another than leaf_of() the labels.
std::vector<std::string> problems_of_leaves(const TileProgram& program,
                                            const AggregateRegistry& aggregates);

}  // namespace tessera::expr

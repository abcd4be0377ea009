#pragma once

#include <cstdint>

#include "expr/summed_product.h"

/// The order in which a statement with a leaf (expr/tile_program.h) is reduced. Every kernel that
/// keeps it gives the same bits, for all cuts of a tensor between leaves.
///
/// *Leaves.* The part of the leaf's label that a call runs over is cut into leaves of the leaf's
/// length, counted from the beginning of the part; the last one may be shorter. A leaf has all
/// positions of the other reduced labels. Results of leaves are merged as a binary tree: the first
/// with the second, the third with the fourth, then those; one without a partner goes up unchanged.
/// If parts begin at multiples of length * 2^j and are that long (the last one at most), the result
/// of a part is a node of the tree over the whole label, and merging parts as a tree gives its
/// root.
///
/// *A chain*, inside a leaf of a statement that chain_of() takes: acc = fma(a, b, acc) from
/// +0, in f32 or f64, over the positions in row-major order of the reduced labels as they are
/// written. Every element of a matrix product is a chain of its own, so tiles of results may be
/// blocked in any way.
///
/// *Lanes*, inside a leaf of any other statement: position p of the last reduced label (counted
/// from where the leaf begins) belongs to lane p mod kLanes. A lane starts with its first state and
/// merges the others in row-major order. Lanes are then halved: of r lanes, lane e merges lane
/// e + ceil(r / 2) from the right, until one is left. A label shorter than kLanes has a lane for
/// each position.
///
/// A reduction of nothing is the identity. A sum of several NaN may be any of them.
/// Source: Higham, SISC 14(4), 1993 (pairwise summation and its error).
namespace tessera::kernels {

constexpr int64_t kLanes = 32;

/// Returns the product whose leaves are chains, or why the leaves of a program of one statement
/// have lanes.
///
/// They are chains for a sum of products of two accesses, in f32 or f64, if every mode of both is a
/// label of its own or one position, every summed label is in both, every kept one in some, one
/// kept label in the first only and another in the second only. So vectors are left to lanes, which
/// need no second factor to be fast. Boundaries and divisors do not count, and an access that
/// gathers has the labels of its positions: a copy of the operand (`staged`) is a plain array. This
/// follows from the statement alone, for all kernels.
OrRefusal<expr::SummedProduct> chain_of(const expr::TileProgram& program);

}  // namespace tessera::kernels

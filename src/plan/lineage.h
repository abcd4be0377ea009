#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ir/tra/keys.h"
#include "plan/task_graph.h"
#include "types/shape.h"

namespace tessera::plan {

using tra::Key;

/// An array of a tuple: a tile or part of one, and the place of its first element for its readers
/// (see Part).
using View = Argument;

/// The arrays of a relation's tuples, known before anything runs: every present key, in key order.
/// This is the lineage of the two-phase paper (§3) with tiles for identities.
struct Lineage {
  std::map<Key, std::vector<View>> tuples;
};

/// Returns the part of its tensor that an array of the tuple with this key holds.
Box box_of(const tra::Column& column, const std::vector<tra::KeyDim>& dims, const Key& key);

/// Returns the part of a label that a kernel runs over for this key: a piece if the key counts it,
/// else all of it.
kernels::LabelRange range_of(const expr::LabelDecl& label, const std::vector<tra::KeyDim>& dims,
                             const Key& key);

/// Returns the ranges of all labels of a program.
std::vector<kernels::LabelRange> ranges_of(const expr::TileProgram& program,
                                           const std::vector<tra::KeyDim>& dims, const Key& key);

}  // namespace tessera::plan

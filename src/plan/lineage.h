#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ir/tra/graph.h"
#include "plan/task_graph.h"
#include "types/shape.h"

namespace tessera::plan {

using Key = std::vector<int64_t>;

/// An array of a tuple: a tile or part of one, and where its first element lies for those who read
/// it (see Part).
using View = Argument;

/// Which arrays a relation's tuples are, before anything runs: every key that is present, in key
/// order. This is the lineage of the two-phase paper (§3) with tiles for identities.
struct Lineage {
  std::map<Key, std::vector<View>> tuples;
};

/// Some keys of one dimension: [begin, end).
struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Every key whose dimensions lie in these ranges, in row-major order; one empty key where there
/// are no dimensions. Errors: `user` for more than tra::kMostTuples.
std::vector<Key> keys_within(const std::vector<KeyRange>& ranges);

/// Every key of a key space in row-major order. Errors: as keys_within.
std::vector<Key> all_keys(const std::vector<tra::KeyDim>& dims);

/// The key of the larger tile that a piece lies in; dimensions that the larger key does not have
/// are dropped.
Key coarser_key(const std::vector<tra::KeyDim>& from, const Key& key,
                const std::vector<tra::KeyDim>& to);

/// The part of its tensor that an array of the tuple with this key holds.
Box box_of(const tra::Column& column, const std::vector<tra::KeyDim>& dims, const Key& key);

/// The part of a label that a kernel runs over for this key: its piece where the key counts it,
/// else all of it.
kernels::LabelRange range_of(const expr::LabelDecl& label, const std::vector<tra::KeyDim>& dims,
                             const Key& key);

/// "(0,2)", for messages.
std::string to_string(const Key& key, const std::vector<tra::KeyDim>& dims);

}  // namespace tessera::plan

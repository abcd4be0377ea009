#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/tra/graph.h"

namespace tessera::tra {

/// Some keys of one dimension: [begin, end).
struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Every key whose dimensions lie in these ranges, in row-major order; one empty key where there
/// are no dimensions. Errors: `user` for more than kMostTuples.
std::vector<Key> keys_within(const std::vector<KeyRange>& ranges);

/// Every key of a key space in row-major order. Errors: as keys_within.
std::vector<Key> all_keys(const std::vector<KeyDim>& dims);

/// Whether a key space has this key.
bool is_key(const Key& key, const std::vector<KeyDim>& dims);

/// The place of a key among all of its key space.
size_t number_of(const Key& key, const std::vector<KeyDim>& dims);

/// From the key of a tuple to the key of the larger one that it is part of: the tile that holds a
/// piece, the tuple without the dimensions that `to` does not have.
class Coarsening {
 public:
  /// REQUIRES that `from` has every dimension of `to`, with every cut of it; that both outlive
  /// this.
  Coarsening(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to);

  Key operator()(const Key& key) const;

 private:
  struct Dim {
    size_t source = 0;               // its dimension in `from`
    const ModeGrid* fine = nullptr;  // null where both are equal
    const ModeGrid* coarse = nullptr;
  };
  std::vector<Dim> dims_;
};

/// The key that a rekey gives a tuple.
Key mapped_key(const std::vector<KeyDim>& from, const Key& key,
               const std::vector<KeyExpression>& expressions);

/// Whether both have the same dimensions but for what is cut, and every cut of `coarse` is one of
/// `fine`.
bool refines(const std::vector<KeyDim>& fine, const std::vector<KeyDim>& coarse);

/// The grids that have every cut of both. REQUIRES equal labels in equal order, of equal extents.
std::vector<KeyDim> common_refinement(const std::vector<KeyDim>& a, const std::vector<KeyDim>& b);

/// "(i=0,j=2)", for messages.
std::string to_string(const Key& key, const std::vector<KeyDim>& dims);

}  // namespace tessera::tra

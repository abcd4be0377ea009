#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "ir/tra/graph.h"

namespace tessera::tra {

/// Some keys of one dimension: [begin, end).
struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Every key whose dimensions lie in some ranges, in row-major order; one empty key where there are
/// no dimensions. A loop sees one key that changes, so that it allocates none: what it keeps of it
/// is a copy.
class Keys {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Key;
    using difference_type = std::ptrdiff_t;
    using pointer = const Key*;
    using reference = const Key&;

    /// Borrows the ranges.
    Iterator(const std::vector<KeyRange>& ranges, size_t number);

    const Key& operator*() const { return key_; }
    Iterator& operator++();
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.number_ == b.number_; }

   private:
    const std::vector<KeyRange>* ranges_;
    size_t number_;
    Key key_;
  };

  /// Errors: `user` for more than kMostTuples.
  explicit Keys(std::vector<KeyRange> ranges);

  Iterator begin() const { return {ranges_, 0}; }
  Iterator end() const { return {ranges_, size_}; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  std::vector<KeyRange> ranges_;
  size_t size_ = 1;
};

/// Every key of a key space in row-major order. Errors: as Keys.
Keys all_keys(const std::vector<KeyDim>& dims);

/// The key with this place among all of its key space, and the place of a key.
Key key_at(size_t number, const std::vector<KeyDim>& dims);
size_t number_of(const Key& key, const std::vector<KeyDim>& dims);

/// For every key in row-major order the sum of what its dimensions add, each by its own key. This
/// is how to go through many keys: what counts of a key is mostly such a sum.
std::vector<int64_t> sums_over_keys(const std::vector<std::vector<int64_t>>& added_by_dim);

/// For every key in row-major order whether a scan merges the tuple into others: all but the last
/// along its dimension.
std::vector<bool> merged_keys(const std::vector<KeyDim>& key, const Scan& scan);

/// A key space without the dimension of that label.
std::vector<KeyDim> key_without(std::vector<KeyDim> key, const std::string& label);

/// Whether a key space has this key.
bool is_key(const Key& key, const std::vector<KeyDim>& dims);

/// From the key of a tuple to the key of the larger one that it is part of: the tile that holds a
/// piece, the tuple without the dimensions that `to` does not have.
class Coarsening {
 public:
  /// REQUIRES that `from` has every dimension of `to`, with every cut of it, or windows that lie in
  /// its pieces; that both outlive this.
  Coarsening(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to);

  Key operator()(const Key& key) const;
  /// For every key of `from` in row-major order, the place of that of the larger tuple.
  std::vector<int64_t> numbers() const;

 private:
  struct Dim {
    size_t source = 0;             // its dimension in `from`
    const KeyDim* fine = nullptr;  // null where both are equal
    const ModeGrid* coarse = nullptr;
  };
  static int64_t coarser(const Dim& dim, int64_t piece);

  const std::vector<KeyDim>& from_;
  const std::vector<KeyDim>& to_;
  std::vector<Dim> dims_;
};

/// The keys of the tuples of `from` that become part of the tuple of `to` with this key: the pieces
/// of its piece or of its window, all keys of a dimension that `to` does not have. REQUIRES that
/// `from` has every dimension of `to`, with every cut of it.
Keys parts_of(const Key& key, const std::vector<KeyDim>& to, const std::vector<KeyDim>& from);

/// Whether some dimension counts windows, which may have tuples in common.
bool has_windows(const std::vector<KeyDim>& key);

/// The key that a rekey gives a tuple.
Key mapped_key(const std::vector<KeyDim>& from, const Key& key,
               const std::vector<KeyExpression>& expressions);

/// For every key of `from` in row-major order, the place of the one that a rekey gives it.
std::vector<int64_t> mapped_numbers(const std::vector<KeyDim>& from,
                                    const std::vector<KeyExpression>& expressions,
                                    const std::vector<KeyDim>& to);

/// Whether both have the same dimensions but for what is cut, and every cut of `coarse`, and every
/// end of its windows, is one of `fine`; of windows of `fine`, whether they lie in pieces of
/// `coarse`.
bool refines(const std::vector<KeyDim>& fine, const std::vector<KeyDim>& coarse);

/// The grids that have every cut of both, and of windows of `b` every end. REQUIRES equal labels in
/// equal order, of equal extents.
std::vector<KeyDim> common_refinement(const std::vector<KeyDim>& a, const std::vector<KeyDim>& b);

/// "(i=0,j=2)", for messages.
std::string to_string(const Key& key, const std::vector<KeyDim>& dims);

}  // namespace tessera::tra

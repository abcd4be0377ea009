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

/// A range of every key whose dimensions lie in some ranges, in row-major order; one empty key if
/// there are no dimensions. A loop sees one key that changes, so that it allocates nothing; it must
/// copy a key to keep it.
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

/// Returns every key of a key space in row-major order. Errors: those of Keys.
Keys all_keys(const std::vector<KeyDim>& dims);

/// Return the key at this place in its key space, and the place of a key.
Key key_at(size_t number, const std::vector<KeyDim>& dims);
size_t number_of(const Key& key, const std::vector<KeyDim>& dims);

/// Returns, for every key in row-major order, the sum of the contributions of its dimensions, each
/// by its own key. This is the way to go through many keys: most properties of a key are such sums.
std::vector<int64_t> sums_over_keys(const std::vector<std::vector<int64_t>>& added_by_dim);

/// Returns, for every key in row-major order, true if a scan merges the tuple into others: all but
/// the last along its dimension.
std::vector<bool> merged_keys(const std::vector<KeyDim>& key, const Scan& scan);

/// Returns a key space without the dimension of that label.
std::vector<KeyDim> key_without(std::vector<KeyDim> key, const std::string& label);

/// True if a key space has this key.
bool is_key(const Key& key, const std::vector<KeyDim>& dims);

/// The map from the key of a tuple to the key of the larger one that it is part of: the tile that
/// holds a piece, the tuple without the dimensions that `to` lacks.
class Coarsening {
 public:
  /// REQUIRES that `from` has every dimension of `to`, with every cut of it, or windows that lie in
  /// its pieces; that both outlive this.
  Coarsening(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to);

  Key operator()(const Key& key) const;
  /// Returns, for every key of `from` in row-major order, the place of the larger tuple's key.
  std::vector<int64_t> numbers() const;

 private:
  struct Dim {
    size_t source = 0;             // its dimension in `from`
    const KeyDim* fine = nullptr;  // null if both are equal
    const ModeGrid* coarse = nullptr;
  };
  static int64_t coarser(const Dim& dim, int64_t piece);

  const std::vector<KeyDim>& from_;
  const std::vector<KeyDim>& to_;
  std::vector<Dim> dims_;
};

/// Returns the keys of the tuples of `from` that become part of the tuple of `to` with this key:
/// the pieces of its piece or of its window, all keys of a dimension that `to` lacks. REQUIRES that
/// `from` has every dimension of `to`, with every cut of it.
Keys parts_of(const Key& key, const std::vector<KeyDim>& to, const std::vector<KeyDim>& from);

/// True if some dimension counts windows, which may share tuples.
bool has_windows(const std::vector<KeyDim>& key);

/// Returns the key that a rekey gives a tuple.
Key mapped_key(const std::vector<KeyDim>& from, const Key& key,
               const std::vector<KeyExpression>& expressions);

/// Returns, for every key of `from` in row-major order, the place of the key that a rekey gives it.
std::vector<int64_t> mapped_numbers(const std::vector<KeyDim>& from,
                                    const std::vector<KeyExpression>& expressions,
                                    const std::vector<KeyDim>& to);

/// True if both have the same dimensions except for cuts, and every cut of `coarse`, and every end
/// of its windows, is one of `fine`; and if windows of `fine` lie in pieces of `coarse`.
bool refines(const std::vector<KeyDim>& fine, const std::vector<KeyDim>& coarse);

/// Returns the grids that have every cut of both, and every end of windows of `b`. REQUIRES equal
/// labels in equal order, of equal extents.
std::vector<KeyDim> common_refinement(const std::vector<KeyDim>& a, const std::vector<KeyDim>& b);

/// Formats a key for messages: "(i=0,j=2)".
std::string to_string(const Key& key, const std::vector<KeyDim>& dims);

}  // namespace tessera::tra

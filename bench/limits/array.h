#pragma once

#include <cstddef>
#include <memory>

#include "types/array_type.h"
#include "types/tile_view.h"

namespace tessera::bench {

/// A dense array in memory of its own, on huge pages where there are any, whose pages are there.
class Array {
 public:
  /// All zeros.
  explicit Array(const ArrayType& type);

  const ArrayType& type() const { return type_; }
  TileView view() const { return dense_view(bytes_.get(), type_.dtype, whole(type_.shape)); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(bytes_.get());
  }
  size_t size() const { return static_cast<size_t>(num_elements(type_.shape)); }
  int64_t extent(size_t mode) const { return type_.shape[mode]; }

 private:
  struct Free {
    void operator()(std::byte* begin) const;
  };

  ArrayType type_;
  std::unique_ptr<std::byte, Free> bytes_;
};

/// Fills with whole numbers from `low` to `high`, so that sums of them are exact.
void fill(const Array& array, int64_t low, int64_t high);

/// The largest |a - b| / max(1, |b|) of all elements; NaN beside NaN is no difference. REQUIRES
/// equal types.
double largest_difference(const Array& a, const Array& b);

}  // namespace tessera::bench

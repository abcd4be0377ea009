#include "engine/processes/samples.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tessera::engine {

namespace {

/// Places of an input that are read, and contiguous elements at each.
constexpr int64_t kNumSamples = 16;
constexpr int64_t kSampleLength = 64;
/// The most bytes of an input that is read whole.
constexpr int64_t kMostBytesRead = int64_t{1} << 20;

/// Returns the bytes of a box.
std::string elements_of(const store::TileSource& source, const Box& box) {
  const DType dtype = source.type().dtype;
  std::string bytes(static_cast<size_t>(num_elements(box.extent) * size_of(dtype)), '\0');
  source.read(dense_view(reinterpret_cast<std::byte*>(bytes.data()), dtype, box));
  return bytes;
}

/// Returns a box of elements in a row from a place on, by its number in row-major order; before it
/// at the end of the row.
Box row_from(int64_t place, const Shape& shape) {
  Box box{std::vector<int64_t>(shape.size(), 0), Shape(shape.size(), 1)};
  for (size_t mode = shape.size(); mode-- > 0;) {
    box.origin[mode] = place % shape[mode];
    place /= shape[mode];
  }
  const int64_t length = std::min(shape.back(), kSampleLength);
  box.origin.back() = std::min(box.origin.back(), shape.back() - length);
  box.extent.back() = length;
  return box;
}

}  // namespace

size_t hash_of_samples(const store::TileSource& source) {
  const ArrayType type = source.type();
  const int64_t count = num_elements(type.shape);
  const std::hash<std::string> hash_of;
  if (count * size_of(type.dtype) <= kMostBytesRead) {
    const Shape& shape = type.shape;
    return count == 0 ? 0 : hash_of(elements_of(source, {Shape(shape.size(), 0), shape}));
  }
  size_t hash = 0;
  for (int64_t number = 0; number < kNumSamples; ++number) {
    // The first is at the beginning, the last at the end.
    const int64_t place = number + 1 == kNumSamples ? count - 1 : number * (count / kNumSamples);
    hash = 31 * hash + hash_of(elements_of(source, row_from(place, type.shape)));
  }
  return hash;
}

}  // namespace tessera::engine

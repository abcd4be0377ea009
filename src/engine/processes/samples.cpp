#include "engine/processes/samples.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace tessera::engine {

namespace {

/// Places of an input that are looked at, and elements side by side at each.
constexpr int64_t kNumSamples = 16;
constexpr int64_t kSampleLength = 64;

}  // namespace

size_t hash_of_samples(const store::TileSource& source) {
  const ArrayType type = source.type();
  const int64_t count = num_elements(type.shape);
  const int64_t row = type.shape.empty() ? 1 : type.shape.back();
  const int64_t length = std::min(row, kSampleLength);
  std::vector<std::byte> sample(static_cast<size_t>(length * size_of(type.dtype)));
  size_t hash = 0;
  for (int64_t number = 0; number < std::min(kNumSamples, count); ++number) {
    int64_t place = number * (count / std::min(kNumSamples, count));
    Box box{std::vector<int64_t>(type.shape.size(), 0), Shape(type.shape.size(), 1)};
    for (size_t mode = type.shape.size(); mode-- > 0;) {
      box.origin[mode] = place % type.shape[mode];
      place /= type.shape[mode];
    }
    if (!type.shape.empty()) {
      box.origin.back() = std::min(box.origin.back(), row - length);
      box.extent.back() = length;
    }
    source.read(dense_view(sample.data(), type.dtype, box));
    const std::string_view bytes(reinterpret_cast<const char*>(sample.data()), sample.size());
    hash = 31 * hash + std::hash<std::string_view>{}(bytes);
  }
  return hash;
}

}  // namespace tessera::engine

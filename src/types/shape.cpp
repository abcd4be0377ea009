#include "types/shape.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

int64_t num_elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

Strides dense_strides(const Shape& shape) {
  Strides strides(shape.size(), 1);
  for (size_t mode = shape.size(); mode-- > 1;) {
    strides[mode - 1] = strides[mode] * shape[mode];
  }
  return strides;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

Box whole(const Shape& shape) {
  return {std::vector<int64_t>(shape.size(), 0), shape};
}

Box intersect(const Box& a, const Box& b) {
  Box common = a;
  for (size_t mode = 0; mode < a.origin.size(); ++mode) {
    const int64_t begin = std::max(a.origin[mode], b.origin[mode]);
    const int64_t end = std::min(a.origin[mode] + a.extent[mode], b.origin[mode] + b.extent[mode]);
    common.origin[mode] = begin;
    common.extent[mode] = std::max<int64_t>(0, end - begin);
  }
  return common;
}

}  // namespace tessera

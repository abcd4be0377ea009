#include "store/edge_tensor.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"

namespace tessera::store {

EdgeTensor::EdgeTensor(ArrayType type, std::optional<int64_t> edge)
    : type_(std::move(type)),
      edge_(edge),
      kept_shape_(kept_shape(type_.shape, edge)),
      data_(std::make_unique<std::byte[]>(
          static_cast<size_t>(size_in_bytes({type_.dtype, kept_shape_})))) {}

Shape EdgeTensor::kept_shape(const Shape& shape, std::optional<int64_t> edge) {
  Shape kept = shape;
  if (edge) {
    for (int64_t& extent : kept) {
      extent = std::min(extent, 2 * *edge);
    }
  }
  return kept;
}

TileView EdgeTensor::kept() const {
  return dense_view(data_.get(), type_.dtype, whole(kept_shape_));
}

std::span<std::byte> EdgeTensor::kept_bytes() const {
  return {data_.get(), static_cast<size_t>(size_in_bytes({type_.dtype, kept_shape_}))};
}

void EdgeTensor::merge(std::span<const std::byte> kept) {
  const std::span<std::byte> own = kept_bytes();
  TESSERA_CHECK(kept.size() == own.size(), "{} bytes of a result of {} are merged", kept.size(),
                own.size());
  std::transform(own.begin(), own.end(), kept.begin(), own.begin(), std::bit_or<>());
}

void EdgeTensor::write(const TileView& from) {
  const size_t ndim = type_.shape.size();
  copy_edges(from, {from.origin.to_vector(), Shape()}, {std::vector<int64_t>(ndim), Shape()});
}

std::vector<EdgeTensor::Interval> EdgeTensor::intervals_of(size_t mode) const {
  const int64_t extent = type_.shape[mode];
  if (kept_shape_[mode] == extent) {
    return {{0, extent, 0}};
  }
  return {{0, *edge_, 0}, {extent - *edge_, extent, *edge_}};
}

/// Copies the kept part of a tile: `part` and `kept_part` give its place in the tensor and here, in
/// the modes of their extents; the remaining modes are divided into the intervals that meet the
/// tile.
void EdgeTensor::copy_edges(const TileView& from, Box part, Box kept_part) {
  const size_t mode = part.extent.size();
  if (mode == type_.shape.size()) {
    copy_elements(subview(from, part), subview(kept(), kept_part));
    return;
  }
  part.extent.push_back(0);
  kept_part.extent.push_back(0);
  for (const Interval& interval : intervals_of(mode)) {
    const int64_t begin = std::max(interval.begin, from.origin[mode]);
    const int64_t end = std::min(interval.end, from.origin[mode] + from.shape[mode]);
    if (begin < end) {
      part.origin[mode] = begin;
      kept_part.origin[mode] = interval.kept_at + begin - interval.begin;
      part.extent[mode] = kept_part.extent[mode] = end - begin;
      copy_edges(from, part, kept_part);
    }
  }
}

}  // namespace tessera::store

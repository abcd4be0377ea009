#include "kernels/cpu/walk/plain_access.h"

#include <algorithm>

namespace tessera::kernels {

int64_t step_of(const expr::Access& access, std::span<const int64_t> strides,
                expr::LabelNumber label) noexcept {
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    if (expr::mentions(access.index[mode], label)) {
      return strides[mode];
    }
  }
  return 0;
}

int64_t step_of(const std::vector<expr::LabelNumber>& out, std::span<const int64_t> strides,
                expr::LabelNumber label) noexcept {
  const auto found = std::find(out.begin(), out.end(), label);
  return found == out.end() ? 0 : strides[static_cast<size_t>(found - out.begin())];
}

Shape extents_of(const expr::Access& access, const CallShape& shape) {
  Shape extents;
  for (const expr::Index& index : access.index) {
    extents.push_back(expr::num_read(index, [&](expr::LabelNumber label) {
      return shape.ranges[static_cast<size_t>(label)].length;
    }));
  }
  return extents;
}

Shape extents_of(const std::vector<expr::LabelNumber>& out, const CallShape& shape) {
  Shape extents;
  for (const expr::LabelNumber label : out) {
    extents.push_back(shape.ranges[static_cast<size_t>(label)].length);
  }
  return extents;
}

std::byte* first_element(const expr::Access& access, const TileView& view,
                         std::span<const LabelRange> ranges) noexcept {
  int64_t offset = 0;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    int64_t first = expr::offset_of(access.index[mode]);
    expr::for_each_term(access.index[mode], [&](expr::LabelNumber label, int64_t coefficient) {
      first += coefficient * ranges[static_cast<size_t>(label)].begin;
    });
    offset += (first - view.origin[mode]) * view.strides[mode];
  }
  return view.data + offset * size_of(view.dtype);
}

void set_dense(TileView& view, std::span<const expr::LabelNumber> labels,
               std::span<const LabelRange> ranges) noexcept {
  view.shape = view.strides = view.origin = ModeValues(labels.size(), 0);
  int64_t stride = 1;
  for (size_t mode = labels.size(); mode-- > 0;) {
    const LabelRange& range = ranges[static_cast<size_t>(labels[mode])];
    view.origin[mode] = range.begin;
    view.shape[mode] = range.length;
    view.strides[mode] = stride;
    stride *= range.length;
  }
}

}  // namespace tessera::kernels

#include "kernels/cpu/walk/plain_access.h"

#include <algorithm>

namespace tessera::kernels {

int64_t step_of(const expr::Access& access, std::span<const int64_t> strides,
                expr::LabelNumber label) noexcept {
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    const auto& terms = access.index[mode].terms;
    if (!terms.empty() && terms[0].label == label) {
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
  for (const expr::AffineIndex& index : access.index) {
    extents.push_back(
        index.terms.empty() ? 1 : shape.ranges[static_cast<size_t>(index.terms[0].label)].length);
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
    const expr::AffineIndex& index = access.index[mode];
    const int64_t begin =
        index.terms.empty() ? 0 : ranges[static_cast<size_t>(index.terms[0].label)].begin;
    offset += (index.offset + begin - view.origin[mode]) * view.strides[mode];
  }
  return view.data + offset * size_of(view.dtype);
}

}  // namespace tessera::kernels

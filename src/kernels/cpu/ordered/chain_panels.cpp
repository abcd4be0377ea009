#include "kernels/cpu/ordered/chain_panels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/half_conversion.h"

namespace tessera::kernels {

namespace {

/// Copies `rows` contiguous rows of kBytes bytes into a dense panel.
template <size_t kBytes>
void copy_rows(const std::byte* from, int64_t step, int64_t rows, std::byte* to) {
  for (int64_t row = 0; row < rows; ++row, from += step, to += kBytes) {
    std::memcpy(to, from, kBytes);
  }
}

using CopyRows = void (*)(const std::byte* from, int64_t step, int64_t rows, std::byte* to);

/// Returns the loop for rows of this many bytes, or null: a copy of known length is a few
/// instructions.
CopyRows copy_rows_of(int64_t bytes) {
  switch (bytes) {
    case 28:
      return &copy_rows<28>;
    case 48:
      return &copy_rows<48>;
    case 56:
      return &copy_rows<56>;
    case 64:
      return &copy_rows<64>;
    case 112:
      return &copy_rows<112>;
    case 128:
      return &copy_rows<128>;
    default:
      return nullptr;
  }
}

/// The part that one call packs, and the layout it packs into.
struct Packing {
  const ChainFactor& factor;
  int64_t width;
  int64_t panel_step;  // in elements
  int64_t size;        // bytes of a stored element
  std::byte* to;

  /// Copies a box of `lines` lines of one step by `depth` positions of one step, to `line`, a line
  /// of all panels, and `at`, a position of a panel.
  void copy(const std::byte* from, int64_t line_step, int64_t lines, int64_t line,
            int64_t depth_step, int64_t depth, int64_t at) const {
    while (lines > 0) {
      const int64_t in_panel = line % width;
      const bool is_whole = in_panel == 0 && lines >= width;
      const int64_t num_panels = is_whole ? lines / width : 1;
      const int64_t taken = is_whole ? width : std::min(lines, width - in_panel);
      std::byte* const target = to + (line / width * panel_step + at * width + in_panel) * size;
      const CopyRows rows = line_step == size && is_whole ? copy_rows_of(width * size) : nullptr;
      for (int64_t panel = 0; rows != nullptr && panel < num_panels; ++panel) {
        rows(from + panel * width * size, depth_step, depth, target + panel * panel_step * size);
      }
      if (rows == nullptr) {
        StridedBox box;
        box.add(taken, line_step, size);
        box.add(depth, depth_step, width * size);
        box.add(num_panels, width * line_step, panel_step * size);
        copy_box(from, target, size, box);
      }
      line += num_panels * taken;
      lines -= num_panels * taken;
      from += num_panels * taken * line_step;
    }
  }
};

void widen(DType dtype, const std::byte* from, std::byte* to, int64_t count) {
  const auto* halves = reinterpret_cast<const uint16_t*>(from);
  auto* floats = reinterpret_cast<float*>(to);
  if (dtype == DType::f16) {
    floats_from_f16(halves, floats, count);
  } else {
    floats_from_bf16(halves, floats, count);
  }
}

}  // namespace

void JoinedLabels::add(int64_t label_length, int64_t label_step) {
  if (label_length == 1) {
    return;
  }
  const auto last = static_cast<size_t>(num_labels - 1);
  if (num_labels > 0 && step[last] == label_step * label_length) {
    length[last] *= label_length;
    step[last] = label_step;
    return;
  }
  length[static_cast<size_t>(num_labels)] = label_length;
  step[static_cast<size_t>(num_labels++)] = label_step;
}

int64_t JoinedLabels::positions() const {
  int64_t product = 1;
  for (int label = 0; label < num_labels; ++label) {
    product *= length[static_cast<size_t>(label)];
  }
  return product;
}

int64_t JoinedLabels::offset_of(int64_t position) const {
  int64_t offset = 0;
  for (int label = num_labels; label-- > 0;) {
    const auto number = static_cast<size_t>(label);
    offset += position % length[number] * step[number];
    position /= length[number];
  }
  return offset;
}

int64_t JoinedLabels::run_from(int64_t position) const {
  if (num_labels == 0) {
    return 1;
  }
  const int64_t last = length[static_cast<size_t>(num_labels - 1)];
  return last - position % last;
}

void pack_chain_panels(const ChainFactor& factor, int64_t first_line, int64_t lines,
                       int64_t first_depth, int64_t depth, int64_t width, int64_t most_depth,
                       std::byte* staging, std::byte* to) noexcept {
  const bool is_half = compute_type(factor.dtype) != factor.dtype;
  const int64_t size = size_of(factor.dtype);
  const Packing packing{factor, width, most_depth * width, size, is_half ? staging : to};
  const int64_t num_panels = (lines + width - 1) / width;
  if (lines % width != 0) {
    std::memset(packing.to + (num_panels - 1) * packing.panel_step * size, 0,
                static_cast<size_t>(depth * width * size));
  }
  for (int64_t at = 0; at < depth;) {
    const int64_t run = std::min(depth - at, factor.depth.run_from(first_depth + at));
    const std::byte* const column = factor.data + factor.depth.offset_of(first_depth + at);
    for (int64_t line = 0; line < lines;) {
      const int64_t together = std::min(lines - line, factor.lines.run_from(first_line + line));
      packing.copy(column + factor.lines.offset_of(first_line + line), factor.lines.last_step(),
                   together, line, factor.depth.last_step(), run, at);
      line += together;
    }
    at += run;
  }
  for (int64_t panel = 0; is_half && panel < num_panels; ++panel) {
    widen(factor.dtype, staging + panel * packing.panel_step * size,
          to + panel * packing.panel_step * static_cast<int64_t>(sizeof(float)), depth * width);
  }
}

}  // namespace tessera::kernels

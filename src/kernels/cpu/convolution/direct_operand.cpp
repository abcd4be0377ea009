#include "kernels/cpu/convolution/direct_operand.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/half_conversion.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Converts `count` elements, a multiple of kBlock; memory is aligned to 64 bytes.
void convert(const std::byte* from, DType stored, BlockFunction cast, std::byte* to, DType type,
             int64_t count) noexcept {
  for (int64_t done = 0; done < count; done += kBlock) {
    const std::byte* const read = from + done * size_of(stored);
    std::byte* const written = to + done * size_of(type);
    if (stored == DType::f16) {
      floats_from_f16(reinterpret_cast<const uint16_t*>(read), reinterpret_cast<float*>(written),
                      kBlock);
    } else if (stored == DType::bf16) {
      floats_from_bf16(reinterpret_cast<const uint16_t*>(read), reinterpret_cast<float*>(written),
                       kBlock);
    } else {
      const std::array<const void*, 1> arguments = {read};
      static_cast<void>(cast(arguments.data(), written, kBlock));  // casts have no fault
    }
  }
}

}  // namespace

DirectOperandReader::DirectOperandReader(const DirectOperand& operand,
                                         const DirectConvolution& convolution, int64_t slack,
                                         Isa isa)
    : operand_(operand), out_(convolution.out), over_(convolution.over), type_(convolution.type) {
  packed_.resize(operand.extents.size());
  int64_t dense = 1;
  if (operand.column_mode) {
    const int64_t extent = operand.extents[*operand.column_mode];
    pitch_ = (extent + operand.column_step - 1) / operand.column_step;
    packed_[*operand.column_mode] = 1;
    dense = pitch_ * operand.column_step;
  }
  for (size_t mode = operand.extents.size(); mode-- > 0;) {
    if (mode != operand.column_mode) {
      packed_[mode] = dense;
      dense *= operand.extents[mode];
    }
  }
  num_packed_ = round_up(dense + slack, kBlock);
  packed_bytes_ = aligned_bytes(num_packed_ * size_of(type_));
  if (size_of(operand.stored) != size_of(type_) || is_float(operand.stored) != is_float(type_)) {
    raw_bytes_ = aligned_bytes(num_packed_ * size_of(operand.stored));
    cast_ = find_block_cast(compute_type(operand.stored), type_, isa);
  }
}

/// True if a tile is laid out for the kernel's tiles: columns side by side.
bool DirectOperandReader::lies_as_read(const TileView& view) const noexcept {
  return !operand_.packs && (!operand_.column_mode || view.strides[*operand_.column_mode] == 1);
}

void DirectOperandReader::copy(const std::byte* first, const TileView& view,
                               std::byte* to) const noexcept {
  const int64_t size = size_of(operand_.stored);
  const auto copy_lines = [&](int64_t lines, int64_t phases, int64_t first_line) {
    StridedBox box;
    const std::byte* read = first;
    std::byte* written = to;
    if (operand_.column_mode) {
      const int64_t stride = view.strides[*operand_.column_mode] * size;
      read += first_line * operand_.column_step * stride;
      written += first_line * size;
      box.add(lines, operand_.column_step * stride, size);
      box.add(phases, stride, pitch_ * size);
    }
    for (size_t mode = operand_.extents.size(); mode-- > 0;) {
      if (mode != operand_.column_mode) {
        box.add(operand_.extents[mode], view.strides[mode] * size, packed_[mode] * size);
      }
    }
    copy_box(read, written, size, box);
  };
  const int64_t extent = operand_.column_mode ? operand_.extents[*operand_.column_mode] : 1;
  const int64_t whole = extent / operand_.column_step;
  const int64_t rest = extent % operand_.column_step;
  if (whole > 0) {
    copy_lines(whole, operand_.column_step, 0);
  }
  if (rest > 0) {
    copy_lines(1, rest, whole);
  }
}

const std::byte* DirectOperandReader::pack(const std::byte* first, const TileView& view,
                                           std::byte* workspace) const noexcept {
  if (raw_bytes_ == 0) {
    copy(first, view, workspace);
    return workspace;
  }
  std::byte* const raw = workspace + packed_bytes_;
  copy(first, view, raw);
  convert(raw, operand_.stored, cast_, workspace, type_, num_packed_);
  return workspace;
}

DirectPlace DirectOperandReader::place_of(const std::byte* data, std::span<const int64_t> strides,
                                          std::span<const LabelRange> ranges,
                                          bool is_packed) const noexcept {
  DirectPlace place;
  place.num_phases = is_packed ? operand_.column_step : 1;
  place.phase_step = pitch_;
  place.data = data;
  for (size_t mode = 0; mode < operand_.extents.size(); ++mode) {
    const bool is_column = mode == operand_.column_mode;
    expr::for_each_term(operand_.access.index[mode], [&](LabelNumber label, int64_t coefficient) {
      const auto number = static_cast<size_t>(label);
      const bool is_merged = std::find(over_.begin(), over_.end(), label) != over_.end();
      if (is_column && is_merged) {
        place.column_taps[number] += coefficient;
        place.first_tap -= std::min<int64_t>(coefficient, 0) * (ranges[number].length - 1);
        return;
      }
      const int64_t moved = is_column ? coefficient / place.num_phases : coefficient;
      place.step[number] += moved * strides[mode];
      if (coefficient < 0) {  // `data` is then the last position's element
        place.data -= moved * (ranges[number].length - 1) * strides[mode] * size_of(type_);
      }
    });
  }
  return place;
}

DirectPlace DirectOperandReader::read(const KernelCall& call, std::byte* workspace) const noexcept {
  const TileView& view = call.inputs[static_cast<size_t>(operand_.access.operand)];
  const std::byte* first = view.data;
  for (size_t mode = 0; mode < operand_.extents.size(); ++mode) {
    int64_t lowest = expr::offset_of(operand_.access.index[mode]);
    expr::for_each_term(operand_.access.index[mode], [&](LabelNumber label, int64_t coefficient) {
      const LabelRange& range = call.ranges[static_cast<size_t>(label)];
      lowest += coefficient * (coefficient < 0 ? range.begin + range.length - 1 : range.begin);
    });
    first += (lowest - view.origin[mode]) * view.strides[mode] * size_of(view.dtype);
  }
  if (lies_as_read(view)) {
    return place_of(first, view.strides, call.ranges, false);
  }
  return place_of(pack(first, view, workspace), packed_, call.ranges, true);
}

}  // namespace tessera::kernels

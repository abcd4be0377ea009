#include "kernels/cpu/grouped/leaves.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "kernels/half_conversion.h"

namespace tessera::kernels {

namespace {

/// Adds the step of a leaf along a label, in its unit.
void add_step(RowLeaf& leaf, const GroupedProgram& program, expr::LabelNumber label,
              int64_t step) noexcept {
  const auto row = std::find(program.rows.begin(), program.rows.end(), label);
  if (row != program.rows.end()) {
    leaf.steps[static_cast<size_t>(row - program.rows.begin())] += step;
  } else {
    leaf.inner_step += step;
  }
}

/// Adds a mode. For a gathered mode, the rows add the position.
Status add_mode(RowLeaf& leaf, const GroupedProgram& program, const expr::Access& access,
                size_t mode, std::span<const LabelRange> ranges) noexcept {
  if (leaf.from->stages[mode]) {
    return Status::ok;
  }
  const TileView& view = *leaf.view;
  const int64_t stride = view.strides[mode] * size_of(view.dtype);
  int64_t first = expr::offset_of(access.index[mode]) - view.origin[mode];
  int64_t lowest = first;
  int64_t highest = first;
  expr::for_each_term(access.index[mode], [&](expr::LabelNumber label, int64_t coefficient) {
    const LabelRange& range = ranges[static_cast<size_t>(label)];
    const int64_t reach = coefficient * (range.length - 1);
    first += coefficient * range.begin;
    lowest += coefficient * range.begin + std::min<int64_t>(reach, 0);
    highest += coefficient * range.begin + std::max<int64_t>(reach, 0);
    add_step(leaf, program, label, coefficient * stride);
  });
  leaf.origin += first * stride;
  return lowest < 0 || highest >= view.shape[mode] ? Status::out_of_range : Status::ok;
}

bool is_half(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16;
}

template <class T>
void copy_rows(const RowLeaf& leaf, int64_t origin, const RowBox& box, std::byte* buffer) noexcept {
  T* to = reinterpret_cast<T*>(buffer);
  const int64_t* const places = leaf.places.data() + box.first_row;
  const int64_t step = leaf.inner_step;
  if (box.length == 1) {
    for (int64_t row = 0; row < box.num_rows; ++row) {
      std::memcpy(to + row, at_address(origin + places[row]), sizeof(T));
    }
    return;
  }
  for (int64_t row = 0; row < box.num_rows; ++row, to += box.length) {
    const std::byte* const from = at_address(origin + places[row]);
    if (step == static_cast<int64_t>(sizeof(T))) {
      std::memcpy(to, from, static_cast<size_t>(box.length) * sizeof(T));
    } else if (step == 0) {
      T value;
      std::memcpy(&value, from, sizeof(T));
      std::fill_n(to, box.length, value);
    } else {
      for (int64_t e = 0; e < box.length; ++e) {
        std::memcpy(to + e, from + e * step, sizeof(T));
      }
    }
  }
}

void copy_rows(const RowLeaf& leaf, int64_t origin, const RowBox& box, std::byte* buffer) noexcept {
  switch (leaf.unit()) {
    case 1:
      return copy_rows<uint8_t>(leaf, origin, box, buffer);
    case 2:
      return copy_rows<uint16_t>(leaf, origin, box, buffer);
    case 4:
      return copy_rows<uint32_t>(leaf, origin, box, buffer);
    case 8:
      return copy_rows<uint64_t>(leaf, origin, box, buffer);
    default:
      return copy_rows<std::complex<double>>(leaf, origin, box, buffer);
  }
}

void count_rows(const RowLeaf& leaf, int64_t origin, const RowBox& box) noexcept {
  auto* to = reinterpret_cast<int64_t*>(leaf.buffer);
  for (int64_t row = 0; row < box.num_rows; ++row) {
    const int64_t first = origin + leaf.places[static_cast<size_t>(box.first_row + row)];
    for (int64_t e = 0; e < box.length; ++e) {
      *to++ = first + e * leaf.inner_step;
    }
  }
}

/// True if the elements of a box are contiguous.
bool is_dense(const RowLeaf& leaf, int64_t step, const RowBox& box) noexcept {
  const int64_t unit = leaf.unit();
  return leaf.is_regular && (box.length == 1 || leaf.inner_step == unit) &&
         (box.num_rows == 1 || step == box.length * unit);
}

}  // namespace

Status bind_leaf(RowLeaf& leaf, const GroupedProgram& program, const KernelCall& call) noexcept {
  std::fill(leaf.steps.begin(), leaf.steps.end(), 0);
  if (const auto* index = std::get_if<expr::IndexOf>(&leaf.from->what)) {
    leaf.origin = call.ranges[static_cast<size_t>(index->label)].begin;
    add_step(leaf, program, index->label, 1);
    return Status::ok;
  }
  const auto& access = std::get<expr::Access>(leaf.from->what);
  leaf.view = &call.inputs[static_cast<size_t>(access.operand)];
  leaf.origin = static_cast<int64_t>(reinterpret_cast<intptr_t>(leaf.view->data));
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    const Status status = add_mode(leaf, program, access, mode, call.ranges);
    if (status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

const std::byte* at_address(int64_t address) noexcept {
  return reinterpret_cast<const std::byte*>(
      static_cast<intptr_t>(address));  // NOLINT(performance-no-int-to-ptr)
}

int64_t first_of(const RowLeaf& leaf, std::span<const int64_t> positions) noexcept {
  int64_t first = leaf.origin;
  for (size_t label = 0; label < positions.size(); ++label) {
    first += positions[label] * leaf.steps[label];
  }
  return first;
}

const std::byte* load_rows(const RowLeaf& leaf, int64_t origin, int64_t step, const RowBox& box,
                           uint16_t* staging) noexcept {
  origin += box.first * leaf.inner_step;
  if (leaf.view == nullptr) {
    count_rows(leaf, origin, box);
    return leaf.buffer;
  }
  const int64_t count = box.num_rows * box.length;
  const bool is_narrow = is_half(leaf.view->dtype);
  std::byte* const to = is_narrow ? reinterpret_cast<std::byte*>(staging) : leaf.buffer;
  const std::byte* from = to;
  if (is_dense(leaf, step, box)) {
    from = at_address(origin + box.first_row * step);
    const int64_t bytes = count * leaf.unit();
    const bool is_aligned = reinterpret_cast<intptr_t>(from) % 64 == 0 && bytes % 64 == 0;
    if (!is_aligned && !is_narrow) {
      std::memcpy(to, from, static_cast<size_t>(bytes));
      from = to;
    }
  } else {
    copy_rows(leaf, origin, box, to);
  }
  if (!is_narrow) {
    return from;
  }
  const auto* stored = reinterpret_cast<const uint16_t*>(from);
  if (leaf.view->dtype == DType::f16) {
    floats_from_f16(stored, reinterpret_cast<float*>(leaf.buffer), count);
  } else {
    floats_from_bf16(stored, reinterpret_cast<float*>(leaf.buffer), count);
  }
  return leaf.buffer;
}

}  // namespace tessera::kernels

#pragma once

#include <span>
#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// How operands and outputs are walked whose modes are one label or a constant each: the accesses
/// that sort_labels() takes (gemm_labels.h), and the out labels of a statement.

/// The step of a label, in elements, by the strides of a tile; 0 where it has not got the label.
int64_t step_of(const expr::Access& access, std::span<const int64_t> strides,
                expr::LabelNumber label) noexcept;
int64_t step_of(const std::vector<expr::LabelNumber>& out, std::span<const int64_t> strides,
                expr::LabelNumber label) noexcept;

/// What a call runs over of every mode.
Shape extents_of(const expr::Access& access, const CallShape& shape);
Shape extents_of(const std::vector<expr::LabelNumber>& out, const CallShape& shape);

/// The element at which a call begins in an operand's tile, which may hold more.
std::byte* first_element(const expr::Access& access, const TileView& view,
                         std::span<const LabelRange> ranges) noexcept;

/// Lets a view show dense elements, a mode for each label, at the places that the labels' ranges
/// have.
void set_dense(TileView& view, std::span<const expr::LabelNumber> labels,
               std::span<const LabelRange> ranges) noexcept;

}  // namespace tessera::kernels

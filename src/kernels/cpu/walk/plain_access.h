#pragma once

#include <span>
#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// Walks of operands and outputs whose modes each are one label or a constant: the accesses that
/// sort_labels() takes (gemm_labels.h), and the out labels of a statement.

/// Returns the step of a label, in elements, with the strides of a tile; 0 if it lacks the label.
int64_t step_of(const expr::Access& access, std::span<const int64_t> strides,
                expr::LabelNumber label) noexcept;
int64_t step_of(const std::vector<expr::LabelNumber>& out, std::span<const int64_t> strides,
                expr::LabelNumber label) noexcept;

/// Returns the extents that a call runs over in every mode.
Shape extents_of(const expr::Access& access, const CallShape& shape);
Shape extents_of(const std::vector<expr::LabelNumber>& out, const CallShape& shape);

/// Returns the element at which a call begins in an operand's tile, which may be larger.
std::byte* first_element(const expr::Access& access, const TileView& view,
                         std::span<const LabelRange> ranges) noexcept;

/// Sets a view to dense elements, a mode for each label, at the places of the labels' ranges.
void set_dense(TileView& view, std::span<const expr::LabelNumber> labels,
               std::span<const LabelRange> ranges) noexcept;

}  // namespace tessera::kernels

#pragma once

#include "kernels/cpu/convolution/direct_convolution.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// The place of an operand in a call: its tile, or packed. Steps are in elements.
struct DirectPlace {
  const std::byte* data = nullptr;  // the element at the first place and the first tap
  /// By label: the distance of neighbouring positions. A merged label that moves the columns' mode
  /// is counted there instead.
  std::array<int64_t, kMaxLabels> step{};
  std::array<int64_t, kMaxLabels> column_taps{};
  int64_t first_tap = 0;   // place of the first tap in the columns' mode
  int64_t num_phases = 1;  // of columns: element e of their mode is in phase e % num_phases
  int64_t phase_step = 0;

  /// Returns the distance from `data` if the columns' mode has moved by `moved` and the rest by
  /// `others`.
  int64_t at(int64_t others, int64_t moved) const {
    return others + moved % num_phases * phase_step + moved / num_phases;
  }
};

/// A packer of operands of one call size.
class DirectOperandReader {
 public:
  /// `slack`: elements behind the last that tiles may read.
  DirectOperandReader(const DirectOperand& operand, const DirectConvolution& convolution,
                      int64_t slack, Isa isa);

  int64_t workspace_bytes() const { return packed_bytes_ + raw_bytes_; }

  /// Packs the operand if it must, into a workspace of workspace_bytes(). Returns its place.
  DirectPlace read(const KernelCall& call, std::byte* workspace) const noexcept;

 private:
  bool lies_as_read(const TileView& view) const noexcept;
  const std::byte* pack(const std::byte* first, const TileView& view,
                        std::byte* workspace) const noexcept;
  void copy(const std::byte* first, const TileView& view, std::byte* to) const noexcept;
  DirectPlace place_of(const std::byte* data, std::span<const int64_t> strides,
                       std::span<const LabelRange> ranges, bool is_packed) const noexcept;

  DirectOperand operand_;
  std::vector<expr::LabelNumber> out_;
  std::vector<expr::LabelNumber> over_;
  DType type_;
  BlockFunction cast_ = nullptr;  // from its stored compute type; null if no cast is needed
  Strides packed_;                // by mode; of the columns' mode within a phase
  int64_t pitch_ = 1;             // of a phase
  int64_t num_packed_ = 0;        // elements, with slack
  int64_t packed_bytes_ = 0;
  int64_t raw_bytes_ = 0;  // for elements still to be converted
};

}  // namespace tessera::kernels

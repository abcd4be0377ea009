#pragma once

#include "kernels/cpu/convolution/direct_convolution.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// Where an operand lies in a call: in its tile, or packed. Steps are in elements.
struct DirectPlace {
  const std::byte* data = nullptr;  // the element that the first place and the first tap read
  /// By label: how far one more position moves. A label that is merged and moves the columns' mode
  /// counts there instead.
  std::array<int64_t, kMaxLabels> step{};
  std::array<int64_t, kMaxLabels> column_taps{};
  int64_t first_tap = 0;   // where the first tap is in the columns' mode
  int64_t num_phases = 1;  // of columns: element e of their mode is in phase e % num_phases
  int64_t phase_step = 0;

  /// From `data` to what is read when the columns' mode has moved so far and the rest by `others`.
  int64_t at(int64_t others, int64_t moved) const {
    return others + moved % num_phases * phase_step + moved / num_phases;
  }
};

/// Packs operands of one call size and says where they are.
class DirectOperandReader {
 public:
  /// `slack`: elements behind the last that tiles may read.
  DirectOperandReader(const DirectOperand& operand, const DirectConvolution& convolution,
                      int64_t slack, Isa isa);

  int64_t workspace_bytes() const { return packed_bytes_ + raw_bytes_; }

  /// Packs the operand where it must, into a workspace of workspace_bytes().
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
  BlockFunction cast_ = nullptr;  // from the compute type it is stored in; null where that is it
  Strides packed_;                // by mode; of the columns' mode within a phase
  int64_t pitch_ = 1;             // of a phase
  int64_t num_packed_ = 0;        // elements, with slack
  int64_t packed_bytes_ = 0;
  int64_t raw_bytes_ = 0;  // for what is still to be converted
};

}  // namespace tessera::kernels

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/cpu/blocked/evaluator.h"
#include "kernels/isa/window_table.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// A label that is merged within windows: its positions are `step` > 0 elements of the mode apart,
/// from the last to the first if it is `backward`.
struct WindowTap {
  expr::LabelNumber label = 0;
  int64_t step = 1;
  int64_t length = 1;
  bool backward = false;
};

/// The windows along one mode of the operand, `step` elements apart.
struct WindowMode {
  std::optional<expr::LabelNumber> place;  // of the result; none if all is merged
  int64_t step = 1;
  int64_t length = 1;  // places
  std::vector<WindowTap> taps;

  int64_t reach() const;  // from the first element of a window to its last
};

/// A statement that merges windows of one operand:
///
///     out[i...] = merge over t... of lift(operand[step * i + tap_step * t + offset, ...])
///
/// with any number of taps in a mode, and every label in one mode. Each state is merged by itself.
struct WindowAggregate {
  struct State {
    DType type = DType::f32;
    WindowMerge merge = nullptr;
    /// The merge of every whole window, if the state does not depend on the operand.
    std::optional<std::array<std::byte, 16>> constant;
  };

  expr::Access access;
  std::vector<WindowMode> modes;
  std::vector<size_t> mode_of_out;  // by label of the result
  std::vector<State> states;
  /// Makes the states that are no constants from a box of the operand; null if the only state is
  /// the operand itself.
  std::shared_ptr<const BlockedEvaluator> lift;

  bool is_in_order() const;  // the labels of the result are in the order of the operand's modes
};

/// Reads a statement as a window aggregate, or returns why it is none.
OrRefusal<WindowAggregate> read_as_windows(const expr::TileProgram& program, const CallShape& shape,
                                           Isa isa);

}  // namespace tessera::kernels

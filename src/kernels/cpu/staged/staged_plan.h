#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "kernels/choice.h"

namespace tessera::kernels {

/// An operand with the values that its boundaries define around it, for all reads with the same
/// boundaries. If a mode's indices are divided by d, its elements are d apart, with the boundary's
/// number between.
struct Framed {
  std::vector<expr::Boundary> outside;             // by mode
  std::vector<int64_t> divisor;                    // by mode
  std::vector<std::vector<expr::Index>> readings;  // without boundaries and divisors
};

/// A mode that is read at the elements of a table: an input, or an operand staged before.
struct GatheredMode {
  size_t mode = 0;
  expr::Access table;
  expr::Scalar position;   // the element's expression, for the message
  expr::Boundary outside;  // of the mode
};

/// An operand with some modes read at the elements of tables, and all others at labels or fixed
/// places: a copy that has a mode for each label.
struct Gathered {
  std::vector<GatheredMode> modes;
  std::vector<expr::Index> index;         // of the operand; unused for gathered modes
  std::vector<expr::LabelNumber> labels;  // of the copy
  Isa isa = Isa::scalar;
};

/// A mode that is read at ((n + offset) // divisor) % modulus of a label n; no modulus: 0.
struct WrappedMode {
  size_t mode = 0;
  int64_t offset = 0;
  int64_t divisor = 1;
  int64_t modulus = 0;
  expr::Scalar position = {};  // the same, for the message
};

/// An operand with some modes read at quotients and remainders of one label, like joined modes or a
/// mode that goes around: a copy that has a mode for each label.
struct Wrapped {
  expr::LabelNumber label = -1;
  std::vector<WrappedMode> modes;
  std::vector<expr::Index> index;         // of the operand; unused for wrapped modes
  std::vector<expr::LabelNumber> labels;  // of the copy
};

/// A table of positions that another kernel computes, for example I[n] + 1: a mode for each of its
/// labels.
struct Computed {
  expr::TileProgram program;
  KernelPlan kernel;
  std::optional<KernelPlan> shorter;  // for the last band, if its length differs
};

/// The plan of a statement that reads its operands irregularly: these are copied into an order that
/// other kernels read, in bands of the outermost label of the result, so that the copies stay in
/// the cache.
struct StagedPlan {
  struct Operand {
    int32_t operand = 0;  // of the program that runs; none for one behind the computed tables
    DType dtype = DType::f32;
    int64_t offset = 0;  // of its copy in the workspace
    std::variant<Framed, Gathered, Wrapped, Computed> as;
  };

  expr::TileProgram program;  // reads operand n of `staged` as operand num_inputs + n
  int32_t num_inputs = 0;     // of the program that runs
  std::vector<Operand> staged;
  std::optional<expr::LabelNumber> band_label;  // none: one band
  int64_t band_length = 1;
  KernelPlan kernel;
  std::optional<KernelPlan> shorter;  // for the last band, if its length differs
  int64_t kernel_offset = 0;          // the other kernels' workspace
  int64_t workspace_bytes = 0;
  Cost cost;
};

/// The most gathered modes of one operand.
inline constexpr size_t kMostGatheredModes = 4;

/// Plans a program, or returns why the kernel does not run it.
OrRefusal<StagedPlan> plan_staged(const expr::TileProgram& program, const CallShape& shape,
                                  const Context& context);

/// Returns the lowest position of a mode that readings take over these ranges, and the length of
/// their span. REQUIRES that no range is empty.
LabelRange span_of(const std::vector<std::vector<expr::Index>>& readings, size_t mode,
                   std::span<const LabelRange> ranges) noexcept;

}  // namespace tessera::kernels

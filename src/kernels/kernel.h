#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expr/tile_program.h"
#include "types/tile_view.h"

namespace tessera::kernels {

/// The part of a label that one call runs over, in the whole tensor: [begin, begin + length).
struct LabelRange {
  int64_t begin = 0;
  int64_t length = 0;
  friend bool operator==(const LabelRange&, const LabelRange&) = default;
};

/// What a kernel knows before the run: how large each call is. Only the lengths count: one prepared
/// kernel serves every call of the same lengths, and each call brings its own begins.
struct CallShape {
  std::vector<LabelRange> ranges;  // one per label of the program
  bool accumulate =
      false;  // merge into the outputs with the statement's monoid instead of overwriting them
  friend bool operator==(const CallShape&, const CallShape&) = default;
};

/// One call. `inputs` and `outputs` are the program's, in order; an input may be strided (part of a
/// larger tile), outputs are dense. An output may be the same memory as an input only in a
/// statement without `reduce` that reads it at exactly its out labels.
struct KernelCall {
  std::span<const TileView> inputs;
  std::span<const TileView> outputs;
  std::span<const LabelRange> ranges;
  bool accumulate = false;
  std::byte* workspace = nullptr;  // workspace_bytes() bytes, aligned to 64
};

/// Faults of the data are values: a kernel neither throws nor allocates.
enum class Status : uint8_t { ok, integer_division_by_zero, out_of_range };

/// In the user's words.
std::string describe(Status status);

/// A kernel made ready for one program and one size of call.
/// Threads: run() may be called from any number at once, each with its own outputs and workspace.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  virtual int64_t workspace_bytes() const { return 0; }
  virtual Status run(const KernelCall& call) const noexcept = 0;
};

/// What a call is expected to take; printed by EXPLAIN and compared to choose a kernel.
struct Cost {
  double flops = 0;    // scalar operations
  double bytes = 0;    // read and written
  double seconds = 0;  // by the kernel's own model
};

/// A way to run tile programs. One file each in kernels/, registered there. Callers ask refusal().
struct Kernel {
  std::string name;
  /// Empty where the kernel can run the program on such calls, else the reason why not.
  std::string (*refuses)(const expr::TileProgram& program, const CallShape& shape) = nullptr;
  Cost (*cost)(const expr::TileProgram& program, const CallShape& shape) = nullptr;
  std::unique_ptr<PreparedKernel> (*prepare)(const expr::TileProgram& program,
                                             const CallShape& shape) = nullptr;
  /// Whether statements with a leaf are reduced in the order of leaf_order.h, to the bit.
  bool keeps_leaf_order = false;

  /// Empty where the kernel can run the program on such calls, else the reason why not: it would
  /// reduce in another order than the program states, or what refuses() says.
  std::string refusal(const expr::TileProgram& program, const CallShape& shape) const;
};

}  // namespace tessera::kernels

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"
#include "types/tile_view.h"

namespace tessera::kernels {

struct Context;

using expr::LabelRange;

/// The sizes of a call, known before the run. Only the lengths count: one prepared kernel serves
/// every call of the same lengths, and each call brings its own begins.
struct CallShape {
  std::vector<LabelRange> ranges;  // one per label of the program
  bool accumulate =
      false;  // merge into the outputs with the statement's monoid instead of overwriting them
  friend bool operator==(const CallShape&, const CallShape&) = default;
};

/// The place of a fault in the data, for the message: the read that lay out of range (its element,
/// its input, and the index gathered for it), or the array that a function has no value for.
struct DataFault {
  std::span<int64_t> labels;           // given: room for the position of every label there
  const expr::Scalar* body = nullptr;  // that reads; null if the kernel does not tell
  int32_t node = -1;                   // of the body: the index, -1 if none is gathered
  int32_t operand = -1;
  size_t mode = 0;
  int64_t position = 0;
  int64_t extent = 0;
  bool names_array = false;  // `labels` name the array of a program of one statement
};

/// One call. `inputs` and `outputs` are the program's, in order; an input may be strided (part of a
/// larger tile), outputs are dense. An output may share memory with an input only if a single
/// statement reads that input: a map, at exactly its out labels, or the first statement, a scan.
struct KernelCall {
  std::span<const TileView> inputs;
  std::span<const TileView> outputs;
  std::span<const LabelRange> ranges;
  bool accumulate = false;
  std::byte* workspace = nullptr;  // KernelPlan::workspace_bytes, aligned to 64
  /// A kernel that reports out_of_range may note the read here, and one that runs a function of
  /// whole arrays the array.
  DataFault* fault = nullptr;
};

/// Faults of the data are values: a kernel neither throws nor allocates.
enum class Status : uint8_t {
  ok,
  integer_division_by_zero,
  negative_integer_power,
  out_of_range,
  no_such_group,
  no_distribution,
  singular_matrix,
  not_positive_definite
};

/// Describes a status in the user's words.
std::string describe(Status status);

/// Describes a status and the faulty array. REQUIRES that the kernel has noted it.
std::string describe(Status status, const DataFault& fault, const expr::TileProgram& program);

/// Describes the read that lay out of range, in the labels of its program and with the name of the
/// tensor. REQUIRES that the kernel has noted it.
std::string describe(const DataFault& read, const expr::TileProgram& program,
                     const std::string& tensor);

/// A kernel made ready for one program and one size of call.
/// Threads: run() may be called from any number at once, each with its own outputs and workspace.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  /// True if every element of an operand is read once, in contiguous runs: then an operand with
  /// gaps is read as quickly as it is copied.
  virtual bool reads_once() const noexcept { return false; }
  virtual Status run(const KernelCall& call) const noexcept = 0;
};

/// The expected cost of a call; EXPLAIN prints it, and the choice of a kernel compares it.
struct Cost {
  double flops = 0;    // scalar operations
  double bytes = 0;    // read and written
  double seconds = 0;  // by the kernel's own model
  /// The part of computing or moving bytes that takes no time, because both overlap
  /// (cpu/cost/overlap.h).
  double hidden_seconds = 0;
};

/// A kernel's plan for a program on calls of one size.
struct KernelPlan {
  Cost cost;
  int64_t workspace_bytes = 0;  // memory of a call besides its tiles
  /// Prepares the kernel; libraries are entered only here. REQUIRES the context lives on.
  std::function<std::shared_ptr<const PreparedKernel>()> prepare;
};

/// The programs that a kernel takes; all others are refused before it sees them. A kernel that
/// declares nothing takes one map or one reduction without a leaf that reads at sums of labels.
struct Takes {
  bool several_statements = false;
  /// Statements with a leaf, which it reduces in the order of leaf_order.h, to the bit.
  bool leaves = false;
  bool scans = false;
  /// Calls of functions of whole arrays.
  bool whole = false;
  /// Reductions by a monoid that does not commute, which it merges in the order of the labels.
  bool every_monoid = false;
  /// Indices that are gathered, divided or have a boundary.
  bool every_index = false;
  /// The other kernels of the context: it runs statements by them.
  bool other_kernels = false;

  /// Returns why a program is not of that kind, or none if it is.
  std::optional<Refusal> refusal(const expr::TileProgram& program, const CallShape& shape) const;
};

/// A kernel: an implementation of tile programs. One file each in kernels/, registered there.
struct Kernel {
  /// Reads a program that the kernel takes, once. Returns a plan, or a refusal.
  using Reader = std::function<OrRefusal<KernelPlan>(
      const expr::TileProgram& program, const CallShape& shape, const Context& context)>;

  std::string name;
  Takes takes;
  Reader reader;

  /// Returns the plan of the kernel for a program on such calls, or why it does not run it.
  OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                             const Context& context) const;
};

}  // namespace tessera::kernels

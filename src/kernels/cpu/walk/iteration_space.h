#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// The capacity of a call of the cpu kernels, which do not allocate; a program with more is refused
/// by name.
constexpr int kMaxLabels = 64;
constexpr int kMaxStreams = 32;

/// More positions than any call runs over. A longer loop is still priced, so that it can be refused
/// as endless; it counts as this.
constexpr int64_t kUncountable = int64_t{1} << 62;

/// Returns one * other, at most kUncountable. REQUIRES both are counts: from 0 to kUncountable.
constexpr int64_t counted(int64_t one, int64_t other) {
  int64_t product = 0;
  return __builtin_mul_overflow(one, other, &product) ? kUncountable
                                                      : std::min(product, kUncountable);
}

/// A sequence of elements walked by the labels of a statement: an access of an operand, an output,
/// or index(label).
///
/// At position p the element is at address `origin + sum(step[label] * p[label])`, in bytes. For
/// index(label) that sum is the value itself, so origin is the first position and the steps are in
/// positions.
struct Stream {
  int64_t origin = 0;
  std::array<int64_t, kMaxLabels> step;  // one per label of the space; unused entries are not set
  DType dtype = DType::f32;
  bool is_index = false;

  /// Returns the step between contiguous elements.
  int64_t unit() const { return is_index ? 1 : size_of(dtype); }
};

/// The labels that a statement runs over, outermost first, and every stream's walk along them.
/// Labels [0, num_out) are kept, labels [num_out, num_labels) are reduced.
struct IterationSpace {
  int num_labels = 0;
  int num_out = 0;
  int num_streams = 0;
  std::array<int64_t, kMaxLabels> length;
  std::array<Stream, kMaxStreams> streams;

  bool is_empty() const;        // some label has no positions
  int64_t num_reduced() const;  // positions of the reduced labels
};

/// The object of a stream: an access of an operand or index(label).
using Streamed = std::variant<expr::Access, expr::IndexOf>;

/// Returns why a call cannot hold this many labels or streams; none if it can.
std::optional<Refusal> too_many_labels(size_t num_labels, int most = kMaxLabels);
std::optional<Refusal> too_many_streams(size_t num_streams);

/// Lays out the space of a call of a statement: a stream for each of `read`, then one for each
/// output. Labels are in their written order. Fails with out_of_range if an access would leave its
/// operand.
Status lay_out(const expr::TileStatement& statement, std::span<const Streamed> read,
               const KernelCall& call, IterationSpace& space) noexcept;

/// True if no element of a result, streams [num_inputs, num_streams), shares memory with one that
/// is read.
bool is_written_apart(const IterationSpace& space, int num_inputs) noexcept;

/// Returns the bytes that all streams move in one step of a label.
int64_t total_step(const IterationSpace& space, int label) noexcept;

/// Simplifies a space: drops labels of one position, sorts the reduced labels by falling steps, and
/// merges two neighbours that every stream walks as one. Element-wise programs on dense tensors
/// become one long loop.
void simplify(IterationSpace& space) noexcept;

}  // namespace tessera::kernels

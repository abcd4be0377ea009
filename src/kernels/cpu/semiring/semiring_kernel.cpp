#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "expr/function_ids.h"
#include "kernels/context.h"
#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/semiring/blocks.h"
#include "kernels/cpu/semiring/labels.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// semiring: a matrix product with other functions for times and plus (shortest paths, distances
/// with or without weights, logsumexp over sums, products of integers), in tiles that stay in
/// registers. If a class (batch, m, n or k) has several labels, an operand is first copied to the
/// order [batch, k, m].
namespace tessera::kernels::kernel_semiring {

namespace {

/// The labels of one class with an operand's steps along them, in elements.
struct Walk {
  std::array<int64_t, kMaxLabels> length;
  std::array<int64_t, kMaxLabels> step;
  int num_labels = 0;
};

class Semiring : public PreparedKernel {
 public:
  Semiring(const SemiringProduct& product, const expr::TileProgram& program, const CallShape& shape)
      : labels_(product.labels),
        weights_(product.weights),
        entry_(*product.entry),
        out_(program.statements[0].out),
        identity_(expr::monoid_of(program.statements[0])->identity),
        size_(size_of(product.entry->type)) {
    measure(labels_.batch, shape, batch_, batch_is_plain_);
    measure(labels_.m, shape, m_, m_is_plain_);
    measure(labels_.n, shape, n_, n_is_plain_);
    measure(labels_.k, shape, k_, k_is_plain_);
  }

  int64_t workspace_bytes() const {
    return blocks().workspace_bytes() + copied_bytes(copies_a(), m_ * k_) +
           copied_bytes(copies_b(), k_ * n_) +
           copied_bytes(copies_weights(), weights_lines() * k_) +
           static_cast<int64_t>(entry_.num_states) * copied_bytes(copies_c(), m_ * n_);
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  /// Matrices of a batch.
  struct Operand {
    SemiringOperand first;
    int64_t batch_step = 0;

    SemiringOperand of_batch(int64_t number, int64_t size) const {
      return {first.data + number * batch_step * size, first.line_step, first.depth_step};
    }
  };

  static void measure(const std::vector<expr::LabelNumber>& labels, const CallShape& shape,
                      int64_t& length, bool& is_plain) {
    int num_long = 0;
    for (const expr::LabelNumber label : labels) {
      const int64_t positions = shape.ranges[static_cast<size_t>(label)].length;
      length *= positions;
      num_long += positions == 1 ? 0 : 1;
    }
    is_plain = num_long <= 1;
  }

  SemiringBlocks blocks() const { return {entry_, m_, n_, k_}; }
  bool copies_a() const { return !(batch_is_plain_ && m_is_plain_ && k_is_plain_); }
  bool copies_b() const { return !(batch_is_plain_ && n_is_plain_ && k_is_plain_); }
  bool copies_c() const { return !(batch_is_plain_ && m_is_plain_ && n_is_plain_); }
  bool copies_weights() const {
    return weights_ && (weights_are_of_columns() ? copies_b() : copies_a());
  }
  bool weights_are_of_columns() const { return entry_.weights == SemiringWeights::of_columns; }
  int64_t weights_lines() const { return weights_are_of_columns() ? n_ : m_; }
  int64_t copied_bytes(bool is_copied, int64_t elements) const {
    return is_copied ? aligned_bytes(batch_ * elements * size_) : 0;
  }

  Operand read(const expr::Access& access, const KernelCall& call, bool is_of_columns,
               std::byte* copy) const noexcept;
  SemiringMatrices result(const KernelCall& call, std::byte* copies,
                          int64_t& batch_step) const noexcept;
  void copy_result(const KernelCall& call, const SemiringMatrices& copies,
                   bool to_result) const noexcept;
  void multiply(const KernelCall& call) const noexcept;

  GemmLabels labels_;
  std::optional<expr::Access> weights_;
  SemiringEntry entry_;
  std::vector<expr::LabelNumber> out_;
  std::vector<Literal> identity_;  // of each state
  int64_t size_;
  int64_t batch_ = 1;
  int64_t m_ = 1;
  int64_t n_ = 1;
  int64_t k_ = 1;
  bool batch_is_plain_ = true;
  bool m_is_plain_ = true;
  bool n_is_plain_ = true;
  bool k_is_plain_ = true;
};

/// Returns the walk along the labels of a class, with the steps of `step`.
template <class Step>
Walk walk_of(const std::vector<expr::LabelNumber>& labels, std::span<const LabelRange> ranges,
             const Step& step) {
  Walk walk;
  for (const expr::LabelNumber label : labels) {
    walk.length[static_cast<size_t>(walk.num_labels)] = ranges[static_cast<size_t>(label)].length;
    walk.step[static_cast<size_t>(walk.num_labels++)] = step(label);
  }
  return walk;
}

/// Returns the step of a class with at most one label longer than 1.
int64_t only_step(const Walk& walk) {
  for (int label = 0; label < walk.num_labels; ++label) {
    if (walk.length[static_cast<size_t>(label)] != 1) {
      return walk.step[static_cast<size_t>(label)];
    }
  }
  return 0;
}

/// Adds a class to a box between an operand and a copy of it in which the class is dense with steps
/// of `dense` elements; `dense` becomes the step of the next class.
void add_class(StridedBox& box, const Walk& walk, int64_t& dense, int64_t size, bool from_operand) {
  for (int label = walk.num_labels; label-- > 0;) {
    const auto number = static_cast<size_t>(label);
    const int64_t there = walk.step[number] * size;
    const int64_t here = dense * size;
    box.add(walk.length[number], from_operand ? there : here, from_operand ? here : there);
    dense *= walk.length[number];
  }
}

/// Returns an operand in place, or its copy if there is room for one.
Semiring::Operand Semiring::read(const expr::Access& access, const KernelCall& call,
                                 bool is_of_columns, std::byte* copy) const noexcept {
  const TileView& view = call.inputs[static_cast<size_t>(access.operand)];
  const auto step = [&](expr::LabelNumber label) { return step_of(access, view.strides, label); };
  const Walk batch = walk_of(labels_.batch, call.ranges, step);
  const Walk line = walk_of(is_of_columns ? labels_.n : labels_.m, call.ranges, step);
  const Walk depth = walk_of(labels_.k, call.ranges, step);
  std::byte* const data = first_element(access, view, call.ranges);
  if (copy == nullptr) {
    return {{data, only_step(line), only_step(depth)}, only_step(batch)};
  }
  StridedBox box;
  int64_t dense = 1;
  add_class(box, line, dense, size_, true);
  const int64_t num_lines = dense;
  add_class(box, depth, dense, size_, true);
  const int64_t batch_step = dense;
  add_class(box, batch, dense, size_, true);
  copy_box(data, copy, size_, box);
  return {{copy, 1, num_lines}, batch_step};
}

/// Returns the result in place, or room for a copy of it [batch, m, n].
SemiringMatrices Semiring::result(const KernelCall& call, std::byte* copies,
                                  int64_t& batch_step) const noexcept {
  SemiringMatrices matrices;
  for (size_t state = 0; state < entry_.num_states; ++state) {
    matrices.c[state] = copies_c()
                            ? copies + static_cast<int64_t>(state) * copied_bytes(true, m_ * n_)
                            : call.outputs[state].data;
  }
  const std::span<const int64_t> strides = call.outputs[0].strides;
  const auto step = [&](expr::LabelNumber label) { return step_of(out_, strides, label); };
  batch_step = copies_c() ? m_ * n_ : only_step(walk_of(labels_.batch, call.ranges, step));
  matrices.row_step = copies_c() ? n_ : only_step(walk_of(labels_.m, call.ranges, step));
  matrices.column_step = copies_c() ? 1 : only_step(walk_of(labels_.n, call.ranges, step));
  return matrices;
}

void Semiring::copy_result(const KernelCall& call, const SemiringMatrices& copies,
                           bool to_result) const noexcept {
  for (size_t state = 0; state < entry_.num_states; ++state) {
    const TileView& view = call.outputs[state];
    const auto step = [&](expr::LabelNumber label) { return step_of(out_, view.strides, label); };
    StridedBox box;
    int64_t dense = 1;
    add_class(box, walk_of(labels_.n, call.ranges, step), dense, size_, !to_result);
    add_class(box, walk_of(labels_.m, call.ranges, step), dense, size_, !to_result);
    add_class(box, walk_of(labels_.batch, call.ranges, step), dense, size_, !to_result);
    copy_box(to_result ? copies.c[state] : view.data, to_result ? view.data : copies.c[state],
             size_, box);
  }
}

void Semiring::multiply(const KernelCall& call) const noexcept {
  const SemiringBlocks blocks = this->blocks();
  std::byte* const copy_a = call.workspace + blocks.workspace_bytes();
  std::byte* const copy_b = copy_a + copied_bytes(copies_a(), m_ * k_);
  std::byte* const copy_weights = copy_b + copied_bytes(copies_b(), k_ * n_);
  std::byte* const copies_of_c =
      copy_weights + copied_bytes(copies_weights(), weights_lines() * k_);
  const Operand a = read(labels_.a, call, false, copies_a() ? copy_a : nullptr);
  const Operand b = read(labels_.b, call, true, copies_b() ? copy_b : nullptr);
  const Operand weights = weights_ ? read(*weights_, call, weights_are_of_columns(),
                                          copies_weights() ? copy_weights : nullptr)
                                   : Operand{};
  int64_t batch_step = 0;
  const SemiringMatrices all = result(call, copies_of_c, batch_step);
  if (copies_c() && call.accumulate) {
    copy_result(call, all, false);
  }
  SemiringMatrices matrices = all;
  for (int64_t number = 0; number < batch_; ++number) {
    matrices.a = a.of_batch(number, size_);
    matrices.b = b.of_batch(number, size_);
    matrices.weights = weights_ ? weights.of_batch(number, size_) : SemiringOperand{};
    for (size_t state = 0; state < entry_.num_states; ++state) {
      matrices.c[state] = all.c[state] + number * batch_step * size_;
    }
    blocks.multiply(matrices, call.accumulate, call.workspace);
  }
  if (copies_c()) {
    copy_result(call, all, true);
  }
}

Status Semiring::run(const KernelCall& call) const noexcept {
  if (batch_ * m_ * n_ == 0 || (k_ == 0 && call.accumulate)) {
    return Status::ok;
  }
  if (k_ > 0) {
    multiply(call);
    return Status::ok;
  }
  for (size_t state = 0; state < entry_.num_states; ++state) {
    const TileView& out = call.outputs[state];  // an output is dense
    fill_literal(identity_[state], out.dtype, out.data, batch_ * m_ * n_);
  }
  return Status::ok;
}

/// Steps of joining and merging a pair; measured: min_plus, abs_max (Zen 4).
constexpr double kStepsOfPair = 1.4;
/// Steps of a square, which is multiplied and added in one. Measured likewise: square_sum.
constexpr double kStepsOfSquare = 1;
/// Steps with an exponential; in f64 it takes more than twice as long. Measured likewise.
constexpr double kStepsOfShare = 8;
constexpr double kStepsOfWideShare = 13;

double steps_of_pair(const SemiringEntry& entry) {
  if (entry.num_states > 1) {
    return entry.type == DType::f64 ? kStepsOfWideShare : kStepsOfShare;
  }
  const bool is_square =
      entry.of_join != nullptr && entry.of_join == std::string_view(expr::id::kSquare);
  return is_square && entry.weights == SemiringWeights::none ? kStepsOfSquare : kStepsOfPair;
}

/// Returns the cost. Tiles are computed whole, so a side of a few lines costs as much as a full
/// one.
Cost cost_of(const SemiringProduct& product, const CallShape& shape, const KernelRates& rates) {
  const double size = static_cast<double>(size_of(product.entry->type));
  const double batch = num_positions(product.labels.batch, shape);
  const double m = num_positions(product.labels.m, shape);
  const double n = num_positions(product.labels.n, shape);
  const double k = num_positions(product.labels.k, shape);
  const double functions = (product.entry->of_join == nullptr ? 2 : 3) + (product.weights ? 1 : 0);
  const double rows = static_cast<double>(round_up(static_cast<int64_t>(m), product.entry->rows));
  const double columns =
      static_cast<double>(round_up(static_cast<int64_t>(n), product.entry->columns));
  Cost cost;
  cost.flops = functions * batch * m * n * k;
  cost.bytes = batch * (m * k + k * n + m * n) * size;
  cost.seconds = rates.call_seconds +
                 batch * (steps_of_pair(*product.entry) * rows * columns * k * size / 4 /
                              rates.tile_steps_per_second +
                          (rows * k + k * columns) * size * 2 / rates.packed_bytes_per_second) +
                 cost.bytes / rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const OrRefusal<SemiringProduct> product = read_as_semiring(program, shape, context);
  if (!product) {
    return product.refusal();
  }
  const auto semiring = std::make_shared<const Semiring>(*product, program, shape);
  return KernelPlan{cost_of(*product, shape, context.machine.rates), semiring->workspace_bytes(),
                    [semiring] { return std::shared_ptr<const PreparedKernel>(semiring); }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"semiring", {}, &read});
}

}  // namespace tessera::kernels::kernel_semiring

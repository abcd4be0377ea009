#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kernels/context.h"
#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/semiring/labels.h"
#include "kernels/cpu/semiring/panels.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// semiring: a matrix product with other functions for times and plus (shortest paths, distances,
/// products of integers), in tiles that stay in registers.
///
/// Operands are packed into panels as Goto and van de Geijn do (ACM TOMS 34(3), 2008): kDepth x
/// kColumns of b stay in L2, one panel of b in L1. Where a class (batch, m, n or k) has several
/// labels, an operand is first brought into the order [batch, k, m]. A merge over k runs over
/// kDepth positions at a time, from first to last, and its parts are merged in their order; that
/// depends on nothing but k.
namespace tessera::kernels {

namespace {

constexpr int64_t kDepth = 128;
constexpr int64_t kLines = 128;     // of a, at a time
constexpr int64_t kColumns = 1024;  // of b, at a time

/// The labels of one class with the steps that an operand walks them by, in elements.
struct Walk {
  std::array<int64_t, kMaxLabels> length;
  std::array<int64_t, kMaxLabels> step;
  int num_labels = 0;
};

class Semiring : public PreparedKernel {
 public:
  Semiring(const SemiringProduct& product, const expr::TileProgram& program, const CallShape& shape)
      : labels_(product.labels),
        entry_(*product.entry),
        out_(program.statements[0].out),
        identity_(expr::monoid_of(program.statements[0])->identity[0]),
        size_(size_of(product.entry->type)) {
    measure(labels_.batch, shape, batch_, batch_is_plain_);
    measure(labels_.m, shape, m_, m_is_plain_);
    measure(labels_.n, shape, n_, n_is_plain_);
    measure(labels_.k, shape, k_, k_is_plain_);
  }

  int64_t workspace_bytes() const {
    return panel_bytes(m_, kLines, entry_.rows) + panel_bytes(n_, kColumns, entry_.columns) +
           tile_bytes() + copied_bytes(copies_a(), m_ * k_) + copied_bytes(copies_b(), k_ * n_) +
           copied_bytes(copies_c(), m_ * n_);
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Run;
  struct Matrices {
    std::byte* data = nullptr;
    int64_t batch_step = 0;
    int64_t line_step = 0;    // of m or n; in the result of m
    int64_t column_step = 0;  // of k; in the result of n
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

  bool copies_a() const { return !(batch_is_plain_ && m_is_plain_ && k_is_plain_); }
  bool copies_b() const { return !(batch_is_plain_ && n_is_plain_ && k_is_plain_); }
  bool copies_c() const { return !(batch_is_plain_ && m_is_plain_ && n_is_plain_); }
  int64_t copied_bytes(bool is_copied, int64_t elements) const {
    return is_copied ? aligned_bytes(batch_ * elements * size_) : 0;
  }
  int64_t tile_bytes() const { return aligned_bytes(entry_.rows * entry_.columns * size_); }
  int64_t panel_bytes(int64_t lines, int64_t most, int64_t width) const {
    return aligned_bytes(round_up(std::min(lines, most), width) * std::min(k_, kDepth) * size_);
  }

  Matrices read(const expr::Access& access, const KernelCall& call,
                const std::vector<expr::LabelNumber>& lines, int64_t num_lines,
                std::byte* copy) const noexcept;
  void copy_result(const KernelCall& call, std::byte* copy, bool to_result) const noexcept;

  GemmLabels labels_;
  SemiringEntry entry_;
  std::vector<expr::LabelNumber> out_;
  Literal identity_;
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

/// Walks the labels of a class by the steps that `step` gives.
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

/// The step of a class of at most one label that is longer than 1.
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

Semiring::Matrices Semiring::read(const expr::Access& access, const KernelCall& call,
                                  const std::vector<expr::LabelNumber>& lines, int64_t num_lines,
                                  std::byte* copy) const noexcept {
  const TileView& view = call.inputs[static_cast<size_t>(access.operand)];
  const auto step = [&](expr::LabelNumber label) { return step_of(access, view.strides, label); };
  const Walk batch = walk_of(labels_.batch, call.ranges, step);
  const Walk line = walk_of(lines, call.ranges, step);
  const Walk depth = walk_of(labels_.k, call.ranges, step);
  std::byte* const data = first_element(access, view, call.ranges);
  if (copy == nullptr) {
    return {data, only_step(batch), only_step(line), only_step(depth)};
  }
  StridedBox box;
  int64_t dense = 1;
  add_class(box, line, dense, size_, true);
  add_class(box, depth, dense, size_, true);
  add_class(box, batch, dense, size_, true);
  copy_box(data, copy, size_, std::move(box));
  return {copy, num_lines * k_, 1, num_lines};
}

/// Between the result and its copy [batch, m, n].
void Semiring::copy_result(const KernelCall& call, std::byte* copy, bool to_result) const noexcept {
  const TileView& view = call.outputs[0];
  const auto step = [&](expr::LabelNumber label) { return step_of(out_, view.strides, label); };
  StridedBox box;
  int64_t dense = 1;
  add_class(box, walk_of(labels_.n, call.ranges, step), dense, size_, !to_result);
  add_class(box, walk_of(labels_.m, call.ranges, step), dense, size_, !to_result);
  add_class(box, walk_of(labels_.batch, call.ranges, step), dense, size_, !to_result);
  if (to_result) {
    copy_box(copy, view.data, size_, std::move(box));
  } else {
    copy_box(view.data, copy, size_, std::move(box));
  }
}

/// One product of matrices.
struct Semiring::Run {
  const Semiring& kernel;
  const SemiringOperand a;
  const SemiringOperand b;
  std::byte* c;
  int64_t row_step;     // of c, in elements
  int64_t column_step;  // of c
  bool accumulate;
  std::byte* panels_a;
  std::byte* panels_b;
  std::byte* scratch;  // a tile of c that is not dense or reaches over the edge

  SemiringOperand part(const SemiringOperand& whole, int64_t line, int64_t depth) const {
    return {whole.data + (line * whole.line_step + depth * whole.depth_step) * kernel.size_,
            whole.line_step, whole.depth_step};
  }
  SpecialValues look(const std::byte* panels, int64_t lines, int64_t depth, int64_t width) const {
    return special_values(panels, round_up(lines, width) * depth, kernel.entry_.type);
  }

  void multiply() const;
  void multiply_depth(int64_t first_column, int64_t columns, int64_t first_depth) const;
  void multiply_panels(int64_t first_row, int64_t rows, int64_t first_column, int64_t columns,
                       int64_t depth, bool adds, SemiringTile tile) const;
  void run_tile(const std::byte* left, const std::byte* right, int64_t row, int64_t rows,
                int64_t column, int64_t columns, int64_t depth, bool adds, SemiringTile tile) const;
  void move_tile(std::byte* at, int64_t rows, int64_t columns, bool to_c) const;
};

void Semiring::Run::multiply() const {
  for (int64_t column = 0; column < kernel.n_; column += kColumns) {
    const int64_t columns = std::min(kColumns, kernel.n_ - column);
    for (int64_t depth = 0; depth < kernel.k_; depth += kDepth) {
      multiply_depth(column, columns, depth);
    }
  }
}

void Semiring::Run::multiply_depth(int64_t first_column, int64_t columns,
                                   int64_t first_depth) const {
  const SemiringEntry& entry = kernel.entry_;
  const int64_t depth = std::min(kDepth, kernel.k_ - first_depth);
  pack_panels(part(b, first_column, first_depth), columns, depth, entry.columns, entry.type,
              panels_b);
  const bool has_ordinary_tile = entry.ordinary_tile != entry.tile;
  const SpecialValues in_b =
      has_ordinary_tile ? look(panels_b, columns, depth, entry.columns) : SpecialValues{};
  for (int64_t row = 0; row < kernel.m_; row += kLines) {
    const int64_t rows = std::min(kLines, kernel.m_ - row);
    pack_panels(part(a, row, first_depth), rows, depth, entry.rows, entry.type, panels_a);
    const bool is_ordinary =
        has_ordinary_tile &&
        stays_ordinary(in_b | look(panels_a, rows, depth, entry.rows), entry.join, entry.of_join);
    multiply_panels(row, rows, first_column, columns, depth, accumulate || first_depth > 0,
                    is_ordinary ? entry.ordinary_tile : entry.tile);
  }
}

void Semiring::Run::multiply_panels(int64_t first_row, int64_t rows, int64_t first_column,
                                    int64_t columns, int64_t depth, bool adds,
                                    SemiringTile tile) const {
  const SemiringEntry& entry = kernel.entry_;
  for (int64_t column = 0; column < columns; column += entry.columns) {
    const std::byte* const right = panels_b + column * depth * kernel.size_;
    for (int64_t row = 0; row < rows; row += entry.rows) {
      run_tile(panels_a + row * depth * kernel.size_, right, first_row + row,
               std::min(entry.rows, rows - row), first_column + column,
               std::min(entry.columns, columns - column), depth, adds, tile);
    }
  }
}

void Semiring::Run::run_tile(const std::byte* left, const std::byte* right, int64_t row,
                             int64_t rows, int64_t column, int64_t columns, int64_t depth,
                             bool adds, SemiringTile tile) const {
  std::byte* const at = c + (row * row_step + column * column_step) * kernel.size_;
  if (rows == kernel.entry_.rows && columns == kernel.entry_.columns && column_step == 1) {
    tile(left, right, depth, at, row_step, adds);
    return;
  }
  if (adds) {
    move_tile(at, rows, columns, false);
  }
  tile(left, right, depth, scratch, kernel.entry_.columns, adds);
  move_tile(at, rows, columns, true);
}

void Semiring::Run::move_tile(std::byte* at, int64_t rows, int64_t columns, bool to_c) const {
  const int64_t size = kernel.size_;
  const int64_t scratch_step = kernel.entry_.columns * size;
  StridedBox box;
  box.add(columns, to_c ? size : column_step * size, to_c ? column_step * size : size);
  box.add(rows, to_c ? scratch_step : row_step * size, to_c ? row_step * size : scratch_step);
  copy_box(to_c ? scratch : at, to_c ? at : scratch, size, std::move(box));
}

Status Semiring::run(const KernelCall& call) const noexcept {
  const TileView& out = call.outputs[0];
  if (batch_ * m_ * n_ == 0 || (k_ == 0 && call.accumulate)) {
    return Status::ok;
  }
  if (k_ == 0) {
    fill_literal(identity_, out.dtype, out.data, batch_ * m_ * n_);  // an output is dense
    return Status::ok;
  }
  std::byte* const panels_a = call.workspace;
  std::byte* const panels_b = panels_a + panel_bytes(m_, kLines, entry_.rows);
  std::byte* const scratch = panels_b + panel_bytes(n_, kColumns, entry_.columns);
  std::byte* const copy_a = scratch + tile_bytes();
  std::byte* const copy_b = copy_a + copied_bytes(copies_a(), m_ * k_);
  std::byte* const copy_c = copy_b + copied_bytes(copies_b(), k_ * n_);
  const Matrices a = read(labels_.a, call, labels_.m, m_, copies_a() ? copy_a : nullptr);
  const Matrices b = read(labels_.b, call, labels_.n, n_, copies_b() ? copy_b : nullptr);
  const auto step = [&](expr::LabelNumber label) { return step_of(out_, out.strides, label); };
  Matrices c{copy_c, m_ * n_, n_, 1};
  if (!copies_c()) {
    c = {out.data, only_step(walk_of(labels_.batch, call.ranges, step)),
         only_step(walk_of(labels_.m, call.ranges, step)),
         only_step(walk_of(labels_.n, call.ranges, step))};
  } else if (call.accumulate) {
    copy_result(call, copy_c, false);
  }
  for (int64_t number = 0; number < batch_; ++number) {
    const Run run{
        .kernel = *this,
        .a = {a.data + number * a.batch_step * size_, a.line_step, a.column_step},
        .b = {b.data + number * b.batch_step * size_, b.line_step, b.column_step},
        .c = c.data + number * c.batch_step * size_,
        .row_step = c.line_step,
        .column_step = c.column_step,
        .accumulate = call.accumulate,
        .panels_a = panels_a,
        .panels_b = panels_b,
        .scratch = scratch,
    };
    run.multiply();
  }
  if (copies_c()) {
    copy_result(call, copy_c, true);
  }
  return Status::ok;
}

/// Tiles are computed whole, so a side of a few lines costs as much as a full one.
Cost cost_of(const SemiringProduct& product, const CallShape& shape, const KernelRates& rates) {
  const double size = static_cast<double>(size_of(product.entry->type));
  const double batch = num_positions(product.labels.batch, shape);
  const double m = num_positions(product.labels.m, shape);
  const double n = num_positions(product.labels.n, shape);
  const double k = num_positions(product.labels.k, shape);
  const double functions = product.entry->of_join == nullptr ? 2 : 3;
  const double rows = static_cast<double>(round_up(static_cast<int64_t>(m), product.entry->rows));
  const double columns =
      static_cast<double>(round_up(static_cast<int64_t>(n), product.entry->columns));
  Cost cost;
  cost.flops = functions * batch * m * n * k;
  cost.bytes = batch * (m * k + k * n + m * n) * size;
  cost.seconds = rates.call_seconds +
                 batch * (functions * rows * columns * k * size / 4 / rates.tile_steps_per_second +
                          (rows * k + k * columns) * size * 2 / rates.packed_bytes_per_second) +
                 cost.bytes / rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const OrRefusal<SemiringProduct> product = read_as_semiring(program, shape, context.machine.isa);
  if (!product) {
    return product.refusal();
  }
  const auto semiring = std::make_shared<const Semiring>(*product, program, shape);
  return KernelPlan{cost_of(*product, shape, context.machine.rates), semiring->workspace_bytes(),
                    [semiring] { return semiring; }};
}

}  // namespace

void register_kernel_semiring(Registry& registry);

void register_kernel_semiring(Registry& registry) {
  registry.add({"semiring", {}, &read});
}

}  // namespace tessera::kernels

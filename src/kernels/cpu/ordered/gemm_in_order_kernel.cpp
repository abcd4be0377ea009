#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kernels/context.h"
#include "kernels/cpu/ordered/chain_panels.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/isa/chain_table.h"
#include "kernels/leaf_order.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// gemm_in_order: a matrix product with a leaf, its elements summed in chains (leaf_order.h).
///
/// Factors are packed into panels, register tiles (isa/chain_tiles.h) run along the depth of a
/// leaf, and blocks of results are merged as a tree. Tiles and blocks are whole, padded with zeros,
/// so an element is summed alike wherever it lies. Source: Goto and van de Geijn, ACM TOMS 34(3),
/// 2008.
namespace tessera::kernels {

namespace {

/// Results of a block: more spare packing, fewer stay in the cache. Measured on products of 1000
/// and 2000 a side, bench/reproducible, 2026-11.
constexpr int64_t kBlockRows = 512;
constexpr int64_t kBlockColumns = 768;
constexpr int64_t kPanelDepth = 512;

/// A label has fewer than 2^63 leaves.
constexpr size_t kMostLevels = 64;

const ChainEntry& entry_of(DType type, Isa isa) {
  const std::span<const ChainEntry> entries = chain_entries(isa);
  return *std::find_if(entries.begin(), entries.end(),
                       [&](const ChainEntry& entry) { return entry.type == type; });
}

int64_t positions_of(const std::vector<expr::LabelNumber>& labels, const CallShape& shape) {
  int64_t positions = 1;
  for (const expr::LabelNumber label : labels) {
    positions = counted(positions, shape.ranges[static_cast<size_t>(label)].length);
  }
  return positions;
}

/// into[e] = left[e] + into[e].
template <class T>
void add_before(const std::byte* left, std::byte* into, int64_t count) {
  const T* const __restrict from = reinterpret_cast<const T*>(left);
  T* const __restrict to = reinterpret_cast<T*>(into);
  for (int64_t e = 0; e < count; ++e) {
    to[e] = from[e] + to[e];
  }
}

class GemmInOrder : public PreparedKernel {
 public:
  GemmInOrder(GemmLabels labels, const expr::TileStatement& statement, const ChainEntry& entry,
              const CallShape& shape)
      : labels_(std::move(labels)),
        out_(statement.out),
        reduce_(*expr::reduction_of(statement)),
        entry_(entry),
        size_(size_of(labels_.type)) {
    block_rows_ = round_up(std::min(positions_of(labels_.m, shape), kBlockRows), entry_.rows);
    block_columns_ =
        round_up(std::min(positions_of(labels_.n, shape), kBlockColumns), entry_.columns);
    const int64_t length = shape.ranges[static_cast<size_t>(reduce_.leaf->label)].length;
    const int64_t num_leaves = (length + reduce_.leaf->length - 1) / reduce_.leaf->length;
    num_buffers_ = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(num_leaves))) + 1;
    const auto depth = std::min(kPanelDepth, positions_of(reduce_.over, shape));
    panel_depth_ = std::max<int64_t>(depth, 1);
  }

  int64_t workspace_bytes() const {
    return panel_bytes(block_rows_) + panel_bytes(block_columns_) + staging_bytes() +
           num_buffers_ * buffer_bytes();
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Run;

  int64_t panel_bytes(int64_t lines) const { return aligned_bytes(lines * panel_depth_ * size_); }
  /// Halves are packed as they are and then widened.
  int64_t staging_bytes() const {
    return labels_.type == DType::f32 ? panel_bytes(std::max(block_rows_, block_columns_)) / 2 + 64
                                      : 0;
  }
  int64_t buffer_bytes() const { return aligned_bytes(block_rows_ * block_columns_ * size_); }

  ChainFactor factor(const expr::Access& access, const KernelCall& call,
                     const std::vector<expr::LabelNumber>& lines) const noexcept;
  JoinedLabels in_access(const std::vector<expr::LabelNumber>& labels, const expr::Access& access,
                         const KernelCall& call) const noexcept;
  JoinedLabels in_result(const std::vector<expr::LabelNumber>& labels,
                         const KernelCall& call) const noexcept;

  GemmLabels labels_;
  std::vector<expr::LabelNumber> out_;
  expr::Reduce reduce_;
  const ChainEntry& entry_;
  int64_t size_;
  int64_t block_rows_ = 0;
  int64_t block_columns_ = 0;
  int64_t panel_depth_ = 0;
  int64_t num_buffers_ = 0;
};

int64_t step_in_bytes(const expr::Access& access, const TileView& view, expr::LabelNumber label) {
  return step_of(access, view.strides, label) * size_of(view.dtype);
}

JoinedLabels GemmInOrder::in_access(const std::vector<expr::LabelNumber>& labels,
                                    const expr::Access& access,
                                    const KernelCall& call) const noexcept {
  JoinedLabels joined;
  for (const expr::LabelNumber label : labels) {
    joined.add(call.ranges[static_cast<size_t>(label)].length,
               step_in_bytes(access, call.inputs[static_cast<size_t>(access.operand)], label));
  }
  return joined;
}

JoinedLabels GemmInOrder::in_result(const std::vector<expr::LabelNumber>& labels,
                                    const KernelCall& call) const noexcept {
  JoinedLabels joined;
  for (const expr::LabelNumber label : labels) {
    joined.add(call.ranges[static_cast<size_t>(label)].length,
               step_of(out_, call.outputs[0].strides, label) * size_);
  }
  return joined;
}

ChainFactor GemmInOrder::factor(const expr::Access& access, const KernelCall& call,
                                const std::vector<expr::LabelNumber>& lines) const noexcept {
  const TileView& view = call.inputs[static_cast<size_t>(access.operand)];
  return {first_element(access, view, call.ranges), view.dtype, in_access(lines, access, call), {}};
}

/// What the products of one call share: how operands are walked, and the workspace.
struct GemmInOrder::Run {
  const GemmInOrder& kernel;
  const KernelCall& call;
  ChainFactor a;
  ChainFactor b;
  JoinedLabels rows_of_c;
  JoinedLabels columns_of_c;
  std::byte* panels_a;
  std::byte* panels_b;
  std::byte* staging;
  std::array<std::byte*, kMostLevels + 1>
      buffers;  // the leaf's results, then those of level 0, 1, ...
  /// Where the operands of the product at hand begin.
  struct Operands {
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    std::byte* c = nullptr;
  };
  Operands first = {};

  Run(const GemmInOrder& of, const KernelCall& with);
  void multiply(const Operands& operands);
  void multiply_block(int64_t row, int64_t rows, int64_t column, int64_t columns);
  void look_at_leaf(int64_t begin, int64_t length);
  void multiply_leaf(int64_t row, int64_t rows, int64_t column, int64_t columns);
  void run_tiles(int64_t rows, int64_t columns, int64_t depth, bool continues);
  void add(const std::byte* left, std::byte* into, int64_t rows) const;
  void store(const std::byte* block, int64_t row, int64_t rows, int64_t column,
             int64_t columns) const;
};

GemmInOrder::Run::Run(const GemmInOrder& of, const KernelCall& with)
    : kernel(of),
      call(with),
      a(of.factor(of.labels_.a, with, of.labels_.m)),
      b(of.factor(of.labels_.b, with, of.labels_.n)),
      rows_of_c(of.in_result(of.labels_.m, with)),
      columns_of_c(of.in_result(of.labels_.n, with)),
      panels_a(with.workspace),
      panels_b(panels_a + of.panel_bytes(of.block_rows_)),
      staging(panels_b + of.panel_bytes(of.block_columns_)) {
  std::byte* buffer = staging + of.staging_bytes();
  for (int64_t number = 0; number < of.num_buffers_; ++number, buffer += of.buffer_bytes()) {
    buffers[static_cast<size_t>(number)] = buffer;
  }
}

void GemmInOrder::Run::multiply(const Operands& operands) {
  first = operands;
  const int64_t num_rows = a.lines.positions();
  const int64_t num_columns = b.lines.positions();
  for (int64_t column = 0; column < num_columns; column += kernel.block_columns_) {
    for (int64_t row = 0; row < num_rows; row += kernel.block_rows_) {
      multiply_block(row, std::min(kernel.block_rows_, num_rows - row), column,
                     std::min(kernel.block_columns_, num_columns - column));
    }
  }
}

void GemmInOrder::Run::multiply_block(int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const expr::Leaf& leaf = *kernel.reduce_.leaf;
  const int64_t length = call.ranges[static_cast<size_t>(leaf.label)].length;
  std::byte** const levels = buffers.data() + 1;
  uint64_t num_leaves = 0;
  for (int64_t begin = 0; begin < length; begin += leaf.length, ++num_leaves) {
    look_at_leaf(begin, std::min(leaf.length, length - begin));
    multiply_leaf(row, rows, column, columns);
    size_t level = 0;
    for (; ((num_leaves >> level) & 1) != 0; ++level) {
      add(levels[level], buffers[0], rows);
    }
    std::swap(buffers[0], levels[level]);
  }
  std::byte* result = nullptr;
  for (size_t level = 0; (num_leaves >> level) != 0; ++level) {
    if (((num_leaves >> level) & 1) == 0) {
      continue;
    }
    if (result != nullptr) {
      add(levels[level], result, rows);
    } else {
      result = levels[level];
    }
  }
  store(result, row, rows, column, columns);
}

/// Lets the depth of the factors be that of a leaf: its part of the leaf's label, the others whole.
void GemmInOrder::Run::look_at_leaf(int64_t begin, int64_t length) {
  const expr::LabelNumber leaf_label = kernel.reduce_.leaf->label;
  const auto look = [&](ChainFactor& factor, const expr::Access& access,
                        const std::byte* first_of_all) {
    const TileView& view = call.inputs[static_cast<size_t>(access.operand)];
    factor.depth = {};
    for (const expr::LabelNumber label : kernel.reduce_.over) {
      factor.depth.add(
          label == leaf_label ? length : call.ranges[static_cast<size_t>(label)].length,
          step_in_bytes(access, view, label));
    }
    factor.data = first_of_all + begin * step_in_bytes(access, view, leaf_label);
  };
  look(a, kernel.labels_.a, first.a);
  look(b, kernel.labels_.b, first.b);
}

void GemmInOrder::Run::multiply_leaf(int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const int64_t most = kernel.panel_depth_;
  const int64_t depth = a.depth.positions();
  for (int64_t begin = 0; begin < depth; begin += most) {
    const int64_t taken = std::min(most, depth - begin);
    pack_chain_panels(a, row, rows, begin, taken, kernel.entry_.rows, most, staging, panels_a);
    pack_chain_panels(b, column, columns, begin, taken, kernel.entry_.columns, most, staging,
                      panels_b);
    run_tiles(rows, columns, taken, begin > 0);
  }
}

void GemmInOrder::Run::run_tiles(int64_t rows, int64_t columns, int64_t depth, bool continues) {
  const ChainEntry& entry = kernel.entry_;
  for (int64_t column = 0; column < columns; column += entry.columns) {
    const std::byte* const right = panels_b + column * kernel.panel_depth_ * kernel.size_;
    for (int64_t row = 0; row < rows; row += entry.rows) {
      std::byte* const to = buffers[0] + (row * kernel.block_columns_ + column) * kernel.size_;
      entry.tile(panels_a + row * kernel.panel_depth_ * kernel.size_, right, depth, to,
                 kernel.block_columns_, continues);
    }
  }
}

/// into = left + into, on the rows of a block.
void GemmInOrder::Run::add(const std::byte* left, std::byte* into, int64_t rows) const {
  const int64_t count = rows * kernel.block_columns_;
  kernel.labels_.type == DType::f32 ? add_before<float>(left, into, count)
                                    : add_before<double>(left, into, count);
}

void GemmInOrder::Run::store(const std::byte* block, int64_t row, int64_t rows, int64_t column,
                             int64_t columns) const {
  const int64_t size = kernel.size_;
  for (int64_t r = 0; r < rows;) {
    const int64_t rows_together = std::min(rows - r, rows_of_c.run_from(row + r));
    for (int64_t j = 0; j < columns;) {
      const int64_t together = std::min(columns - j, columns_of_c.run_from(column + j));
      StridedBox box;
      box.add(together, size, columns_of_c.last_step());
      box.add(rows_together, kernel.block_columns_ * size, rows_of_c.last_step());
      copy_box(block + (r * kernel.block_columns_ + j) * size,
               first.c + rows_of_c.offset_of(row + r) + columns_of_c.offset_of(column + j), size,
               std::move(box));  // NOLINT(performance-move-const-arg): it is taken apart
      j += together;
    }
    r += rows_together;
  }
}

Status GemmInOrder::run(const KernelCall& call) const noexcept {
  const TileView& out = call.outputs[0];
  const auto length = [&](expr::LabelNumber label) {
    return call.ranges[static_cast<size_t>(label)].length;
  };
  const auto is_empty = [&](expr::LabelNumber label) { return length(label) == 0; };
  if (std::any_of(reduce_.over.begin(), reduce_.over.end(), is_empty)) {
    std::fill_n(out.data, num_elements(out.shape) * size_, std::byte{0});  // an output is dense
  }
  if (std::any_of(reduce_.over.begin(), reduce_.over.end(), is_empty) ||
      num_elements(out.shape) == 0) {
    return Status::ok;
  }
  Run run(*this, call);
  const std::byte* const a = run.a.data;
  const std::byte* const b = run.b.data;
  const JoinedLabels batch_a = in_access(labels_.batch, labels_.a, call);
  const JoinedLabels batch_b = in_access(labels_.batch, labels_.b, call);
  const JoinedLabels batch_c = in_result(labels_.batch, call);
  for (int64_t number = 0; number < batch_c.positions(); ++number) {
    run.multiply({a + batch_a.offset_of(number), b + batch_b.offset_of(number),
                  out.data + batch_c.offset_of(number)});
  }
  return Status::ok;
}

/// Tiles are computed whole, so a side of a few lines costs as much as a full one.
Cost cost_of(const GemmLabels& labels, const ChainEntry& entry, const CallShape& shape,
             const KernelRates& rates) {
  const auto size = static_cast<double>(size_of(labels.type));
  const auto batch = static_cast<double>(positions_of(labels.batch, shape));
  const int64_t num_rows = positions_of(labels.m, shape);
  const int64_t num_columns = positions_of(labels.n, shape);
  const auto m = static_cast<double>(num_rows);
  const auto n = static_cast<double>(num_columns);
  const auto k = static_cast<double>(positions_of(labels.k, shape));
  const double products = static_cast<double>(round_up(num_rows, entry.rows)) *
                          static_cast<double>(round_up(num_columns, entry.columns)) * k;
  const int64_t times_a = (num_columns - 1) / kBlockColumns + 1;
  const int64_t times_b = (num_rows - 1) / kBlockRows + 1;
  const double packed = m * k * static_cast<double>(times_a) + n * k * static_cast<double>(times_b);
  const double rate = labels.type == DType::f32 ? rates.chain_flops_per_second_f32
                                                : rates.chain_flops_per_second_f64;
  Cost cost;
  cost.flops = 2 * batch * m * n * k;
  cost.bytes = batch * (m * k + k * n + m * n) * size;
  cost.seconds = rates.call_seconds +
                 batch * (2 * products / rate + packed * size / rates.packed_bytes_per_second) +
                 cost.bytes / rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  const OrRefusal<expr::SummedProduct> chain = chain_of(program);
  if (!chain) {
    return chain.refusal();
  }
  const OrRefusal<GemmLabels> labels = sort_labels(program, chain->a, chain->b, chain->type);
  if (!labels) {
    return labels.refusal();
  }
  const expr::TileStatement& statement = program.statements[0];
  if (expr::stated_leaf(statement) == nullptr) {
    return Refusal{"the statement has no leaf"};
  }
  if (shape.accumulate) {
    return Refusal{"it merges nothing into its outputs"};
  }
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const ChainEntry& entry = entry_of(labels->type, context.machine.isa);
  const auto gemm = std::make_shared<const GemmInOrder>(*labels, statement, entry, shape);
  return KernelPlan{cost_of(*labels, entry, shape, context.machine.rates), gemm->workspace_bytes(),
                    [gemm] { return std::shared_ptr<const PreparedKernel>(gemm); }};
}

}  // namespace

void register_kernel_gemm_in_order(Registry& registry);

void register_kernel_gemm_in_order(Registry& registry) {
  registry.add({"gemm_in_order", {.leaves = true}, &read});
}

}  // namespace tessera::kernels

#include "kernels/cpu/ordered/gemm_in_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_copy.h"

namespace tessera::kernels {

namespace {

constexpr int64_t kPanelDepth = 512;

/// The most bytes of a product's factors that is computed in place: larger ones would be read too
/// often from where they are. Measured on products of 64 to 256 a side, bench/reproducible,
/// 2026-11.
constexpr int64_t kSmallBytes = int64_t{128} << 10;

/// A label has fewer than 2^63 leaves.
constexpr size_t kMostLevels = 64;

/// Computes into[e] = left[e] + into[e].
template <class T>
void add_before(const std::byte* left, std::byte* into, int64_t count) {
  const T* const __restrict from = reinterpret_cast<const T*>(left);
  T* const __restrict to = reinterpret_cast<T*>(into);
  for (int64_t e = 0; e < count; ++e) {
    to[e] = from[e] + to[e];
  }
}

int64_t step_in_bytes(const expr::Access& access, const TileView& view, expr::LabelNumber label) {
  return step_of(access, view.strides, label) * size_of(view.dtype);
}

}  // namespace

int64_t positions_of(const std::vector<expr::LabelNumber>& labels, const CallShape& shape) {
  int64_t positions = 1;
  for (const expr::LabelNumber label : labels) {
    positions = counted(positions, shape.ranges[static_cast<size_t>(label)].length);
  }
  return positions;
}

GemmInOrder::GemmInOrder(GemmLabels labels, const expr::TileStatement& statement,
                         const ChainEntry& entry, const CallShape& shape)
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
  const int64_t lines = positions_of(labels_.m, shape) + positions_of(labels_.n, shape);
  is_small_ = num_leaves == 1 && positions_of(reduce_.over, shape) <= kPanelDepth &&
              lines <= kSmallBytes / (panel_depth_ * size_);
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

/// The shared state of the products of one call: the operands' walks, and the workspace.
struct GemmInOrder::Run {
  const GemmInOrder& kernel;
  const KernelCall& call;
  ChainFactor a;
  ChainFactor b;
  JoinedLabels rows_of_c;
  JoinedLabels columns_of_c;
  std::byte* panel;  // of a product in place
  std::byte* panels_a;
  std::byte* panels_b;
  std::byte* staging;
  std::array<std::byte*, kMostLevels + 1>
      buffers;  // the leaf's results, then those of level 0, 1, ...
  /// The beginnings of the current product's operands.
  struct Operands {
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    std::byte* c = nullptr;
  };
  Operands first = {};

  Run(const GemmInOrder& of, const KernelCall& with);
  void multiply(const Operands& operands);
  bool lies_in_rows() const;
  void multiply_small() const;
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
      panel(with.workspace),
      panels_a(panel + in_place_workspace_bytes(of.entry_, of.panel_depth_)),
      panels_b(panels_a + of.panel_bytes(of.block_rows_)),
      staging(panels_b + of.panel_bytes(of.block_columns_)) {
  std::byte* buffer = staging + of.staging_bytes();
  for (int64_t number = 0; number < of.num_buffers_; ++number, buffer += of.buffer_bytes()) {
    buffers[static_cast<size_t>(number)] = buffer;
  }
}

/// True if a product of one leaf can be computed in place; the depth of the factors is the leaf's.
bool GemmInOrder::Run::lies_in_rows() const {
  const DType type = kernel.labels_.type;
  const JoinedLabels* const walked[] = {&a.lines, &a.depth,   &b.lines,
                                        &b.depth, &rows_of_c, &columns_of_c};
  const auto has_one_step = [](const JoinedLabels* labels) { return labels->num_labels <= 1; };
  const auto has_neighbours = [&](const JoinedLabels& labels) {
    return labels.num_labels == 0 || labels.last_step() == kernel.size_;
  };
  return a.dtype == type && b.dtype == type &&
         std::all_of(std::begin(walked), std::end(walked), has_one_step) &&
         has_neighbours(b.lines) && has_neighbours(columns_of_c);
}

void GemmInOrder::Run::multiply_small() const {
  const int64_t size = kernel.size_;
  multiply_in_place(kernel.entry_,
                    {.a = a.data,
                     .b = b.data,
                     .c = first.c,
                     .rows = a.lines.positions(),
                     .columns = b.lines.positions(),
                     .depth = a.depth.positions(),
                     .a_row = a.lines.last_step() / size,
                     .a_depth = a.depth.last_step() / size,
                     .b_depth = b.depth.last_step() / size,
                     .c_row = rows_of_c.last_step() / size},
                    panel);
}

void GemmInOrder::Run::multiply(const Operands& operands) {
  first = operands;
  if (kernel.is_small_) {
    look_at_leaf(0, call.ranges[static_cast<size_t>(kernel.reduce_.leaf->label)].length);
    if (lies_in_rows()) {
      multiply_small();
      return;
    }
  }
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

/// Sets the depth of the factors to a leaf's: its part of the leaf's label, the others whole.
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

/// Computes into = left + into, on the rows of a block.
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
               box);
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

}  // namespace tessera::kernels

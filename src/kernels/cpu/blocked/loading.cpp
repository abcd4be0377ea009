#include "kernels/cpu/blocked/loading.h"

#include <algorithm>
#include <map>

#include "kernels/cpu/blocked/shape.h"
#include "types/tile_view.h"

namespace tessera::kernels {

namespace {

/// Returns the box that a call reads of an operand, whose modes are all linear.
Box box_of(const expr::Access& access, const CallShape& shape) {
  Box box;
  for (const expr::Index& index : access.index) {
    const std::optional<expr::Reach> reach = expr::reach_of(index, shape.ranges);
    box.origin.push_back(static_cast<int64_t>(reach->lowest));
    box.extent.push_back(static_cast<int64_t>(reach->highest - reach->lowest) + 1);
  }
  return box;
}

/// Returns the smallest box that holds both.
Box around(const Box& one, const Box& other) {
  Box both = one;
  for (size_t mode = 0; mode < one.extent.size(); ++mode) {
    const int64_t end =
        std::max(one.origin[mode] + one.extent[mode], other.origin[mode] + other.extent[mode]);
    both.origin[mode] = std::min(one.origin[mode], other.origin[mode]);
    both.extent[mode] = end - both.origin[mode];
  }
  return both;
}

/// Returns the space of a call on dense operands at no address.
IterationSpace dense_space(const expr::TileStatement& statement, std::span<const Streamed> read,
                           const CallShape& shape) {
  std::map<int32_t, Box> boxes;
  std::map<int32_t, DType> dtypes;
  expr::for_each_access(statement, [&](const expr::Access& access, DType dtype) {
    const Box box = box_of(access, shape);
    const auto [known, fresh] = boxes.emplace(access.operand, box);
    known->second = fresh ? box : around(known->second, box);
    dtypes[access.operand] = dtype;
  });
  const size_t num_inputs = boxes.empty() ? 0 : static_cast<size_t>(boxes.rbegin()->first) + 1;
  std::vector<TileView> inputs(num_inputs);
  for (const auto& [operand, box] : boxes) {
    inputs[static_cast<size_t>(operand)] = dense_view(nullptr, dtypes[operand], box);
  }
  Box out;
  for (const expr::LabelNumber label : statement.out) {
    out.origin.push_back(0);
    out.extent.push_back(shape.ranges[static_cast<size_t>(label)].length);
  }
  std::vector<TileView> outputs;
  for (const expr::Scalar& body : statement.bodies) {
    outputs.push_back(dense_view(nullptr, body.dtype(), out));
  }
  IterationSpace space;
  (void)lay_out(statement, read, {inputs, outputs, shape.ranges}, space);  // nothing is outside
  simplify(space);
  return space;
}

/// Returns the positions of the block that a stream walks as one row; 0 if it needs none, because
/// it has one value in the block or is laid out like the block.
int64_t row_of(const Stream& stream, const BlockShape& block) {
  int64_t row = 1;
  int64_t step = 0;
  for (int dim = 0; dim < block.num_dims; ++dim) {
    const auto number = static_cast<size_t>(dim);
    const int64_t own = stream.step[static_cast<size_t>(block.label[number])];
    if (row == 1) {
      step = own;
    } else if (own != step * row) {
      return row;
    }
    row *= block.extent[number];
  }
  return step == 0 || step == stream.unit() ? 0 : row;
}

/// True if a stream has one position in a block.
bool stays(const Stream& stream, const BlockShape& block) {
  return std::all_of(block.label.begin(), block.label.begin() + block.num_dims,
                     [&](int label) { return stream.step[static_cast<size_t>(label)] == 0; });
}

}  // namespace

double num_loaded_rows(const expr::TileStatement& statement, std::span<const Streamed> read,
                       const CallShape& shape, bool may_have_rows) {
  const IterationSpace space = dense_space(statement, read, shape);
  if (space.is_empty()) {
    return 0;
  }
  double positions = 1;
  for (int label = 0; label < space.num_labels; ++label) {
    positions *= static_cast<double>(space.length[static_cast<size_t>(label)]);
  }
  const BlockShape block = choose_block(space, may_have_rows, true);
  double rows = 0;
  for (size_t stream = 0; stream < read.size(); ++stream) {
    const int64_t row = row_of(space.streams[stream], block);
    rows += row == 0 ? 0 : positions / static_cast<double>(row);
  }
  return rows;
}

ExpectedBlocks expected_blocks(const expr::TileStatement& statement, std::span<const Streamed> read,
                               const CallShape& shape, bool may_have_rows) {
  const IterationSpace space = dense_space(statement, read, shape);
  ExpectedBlocks expected{std::vector<bool>(read.size(), false)};
  if (!space.is_empty()) {
    const BlockShape block = choose_block(space, may_have_rows, true);
    for (size_t stream = 0; stream < read.size(); ++stream) {
      expected.uniform_streams[stream] = stays(space.streams[stream], block);
    }
    expected.are_single_rows = are_single_rows(space, block);
    expected.columns = num_columns(space, block);
  }
  return expected;
}

}  // namespace tessera::kernels

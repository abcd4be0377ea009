#include "kernels/cpu/semiring/blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

constexpr int64_t kMostRows = 126;  // of a block: 129 KB of a in f32
constexpr int64_t kMostColumns = 1024;
constexpr int64_t kMostLostRows = 4 * kMostRows;  // of a band: rounding losses of 2 MB in f32

}  // namespace

int64_t SemiringBlocks::block_rows() const {
  return round_up(std::min(m_, kMostRows), entry_.rows);
}

int64_t SemiringBlocks::block_columns() const {
  return round_up(std::min(n_, kMostColumns), entry_.columns);
}

int64_t SemiringBlocks::panel_bytes(int64_t lines) const {
  return aligned_bytes(lines * std::min(k_, kSemiringDepth) * size_);
}

int64_t SemiringBlocks::weights_bytes() const {
  switch (entry_.weights) {
    case SemiringWeights::none:
      return 0;
    case SemiringWeights::of_rows:
      return panel_bytes(block_rows());
    case SemiringWeights::of_columns:
      return panel_bytes(block_columns());
  }
  return 0;
}

int64_t SemiringBlocks::tile_bytes() const {
  return aligned_bytes(entry_.rows * entry_.columns * size_);
}

bool SemiringBlocks::keeps_lost() const {
  return entry_.sums_round && k_ > kSemiringDepth;
}

int64_t SemiringBlocks::band_rows() const {
  return keeps_lost() ? std::min(m_, kMostLostRows) : m_;
}

int64_t SemiringBlocks::lost_bytes() const {
  return keeps_lost() ? aligned_bytes(round_up(band_rows(), entry_.rows) * block_columns() * size_)
                      : 0;
}

int64_t SemiringBlocks::states_bytes() const {
  return static_cast<int64_t>(entry_.num_states) * tile_bytes();
}

int64_t SemiringBlocks::workspace_bytes() const {
  return panel_bytes(block_rows()) + panel_bytes(block_columns()) + weights_bytes() +
         states_bytes() + lost_bytes();
}

/// The part of the result that is computed, and the part of k.
struct SemiringBlocks::Block {
  int64_t row = 0;
  int64_t rows = 0;
  int64_t column = 0;
  int64_t columns = 0;
  int64_t first_depth = 0;
  int64_t depth = 0;
};

struct SemiringBlocks::Run {
  const SemiringBlocks& blocks;
  const SemiringMatrices& matrices;
  bool accumulate;
  std::byte* panels_a;
  std::byte* panels_b;
  std::byte* panels_weights;
  std::byte* scratch;  // a tile of each state that is not dense or reaches over the edge
  std::byte* lost;     // null if no loss is kept

  const SemiringEntry& entry() const { return blocks.entry_; }
  int64_t size() const { return blocks.size_; }

  void multiply() const;
  void multiply_band(Block band) const;
  void multiply_block(const Block& block, std::byte* lost_of_block, const SpecialValues& in_b,
                      SpecialValues in_weights) const;
  SpecialValues pack(const SemiringOperand& from, int64_t first_line, int64_t lines, int64_t width,
                     const Block& block, std::byte* to) const;
  void run_tile(const Block& block, int64_t row, int64_t column, SemiringTile tile,
                std::byte* lost_of_block) const;
  void move_tile(int64_t at, int64_t rows, int64_t columns, bool to_c) const;
};

void SemiringBlocks::Run::multiply() const {
  for (int64_t column = 0; column < blocks.n_; column += kMostColumns) {
    for (int64_t row = 0; row < blocks.m_; row += blocks.band_rows()) {
      multiply_band({row, std::min(blocks.band_rows(), blocks.m_ - row), column,
                     std::min(kMostColumns, blocks.n_ - column), 0, 0});
    }
  }
}

/// Multiplies one part of k after the other, so that b is packed once for all rows of the band.
void SemiringBlocks::Run::multiply_band(Block band) const {
  if (lost != nullptr) {
    std::memset(lost, 0, static_cast<size_t>(blocks.lost_bytes()));
  }
  for (band.first_depth = 0; band.first_depth < blocks.k_; band.first_depth += kSemiringDepth) {
    band.depth = std::min(kSemiringDepth, blocks.k_ - band.first_depth);
    const SpecialValues in_b =
        pack(matrices.b, band.column, band.columns, entry().columns, band, panels_b);
    const SpecialValues in_weights = entry().weights == SemiringWeights::of_columns
                                         ? pack(matrices.weights, band.column, band.columns,
                                                entry().columns, band, panels_weights)
                                         : SpecialValues{};
    for (int64_t row = 0; row < band.rows; row += kMostRows) {
      Block block = band;
      block.row = band.row + row;
      block.rows = std::min(kMostRows, band.rows - row);
      multiply_block(block,
                     lost == nullptr ? nullptr : lost + row * blocks.block_columns() * size(), in_b,
                     in_weights);
    }
  }
}

void SemiringBlocks::Run::multiply_block(const Block& block, std::byte* lost_of_block,
                                         const SpecialValues& in_b,
                                         SpecialValues in_weights) const {
  const SpecialValues in_a = pack(matrices.a, block.row, block.rows, entry().rows, block, panels_a);
  if (entry().weights == SemiringWeights::of_rows) {
    in_weights = pack(matrices.weights, block.row, block.rows, entry().rows, block, panels_weights);
  }
  const SemiringTile tile =
      stays_ordinary(in_a | in_b, in_weights, entry()) ? entry().ordinary_tile : entry().tile;
  for (int64_t column = 0; column < block.columns; column += entry().columns) {
    for (int64_t row = 0; row < block.rows; row += entry().rows) {
      run_tile(block, row, column, tile, lost_of_block);
    }
  }
}

/// Packs `lines` lines of an operand over the depth of a block. Returns the special values among
/// them.
SpecialValues SemiringBlocks::Run::pack(const SemiringOperand& from, int64_t first_line,
                                        int64_t lines, int64_t width, const Block& block,
                                        std::byte* to) const {
  const SemiringOperand part = {
      from.data + (first_line * from.line_step + block.first_depth * from.depth_step) * size(),
      from.line_step, from.depth_step};
  pack_panels(part, lines, block.depth, width, entry().type, to);
  return entry().tile == entry().ordinary_tile
             ? SpecialValues{}
             : entry().special_values(to, round_up(lines, width) * block.depth);
}

void SemiringBlocks::Run::run_tile(const Block& block, int64_t row, int64_t column,
                                   SemiringTile tile, std::byte* lost_of_block) const {
  const int64_t line = entry().weights == SemiringWeights::of_columns ? column : row;
  const SemiringPanels panels{panels_a + row * block.depth * size(),
                              panels_b + column * block.depth * size(),
                              panels_weights + line * block.depth * size(), block.depth};
  const int64_t rows = std::min(entry().rows, block.rows - row);
  const int64_t columns = std::min(entry().columns, block.columns - column);
  SemiringTarget target;
  target.adds_to_c = accumulate || block.first_depth > 0;
  if (lost_of_block != nullptr) {
    target.lost = lost_of_block +
                  (column * round_up(block.rows, entry().rows) + row * entry().columns) * size();
    target.returns_lost = block.first_depth + block.depth == blocks.k_;
  }
  const int64_t at =
      ((block.row + row) * matrices.row_step + (block.column + column) * matrices.column_step) *
      size();
  if (rows == entry().rows && columns == entry().columns && matrices.column_step == 1) {
    target.c = matrices.c[0] + at;
    target.sums = matrices.c[1] == nullptr ? nullptr : matrices.c[1] + at;
    target.c_step = matrices.row_step;
    tile(panels, target);
    return;
  }
  target.c = scratch;
  target.sums = scratch + blocks.tile_bytes();
  target.c_step = entry().columns;
  if (target.adds_to_c) {
    move_tile(at, rows, columns, false);
  }
  tile(panels, target);
  move_tile(at, rows, columns, true);
}

/// Moves a tile between the scratch and the place `at` bytes into each state.
void SemiringBlocks::Run::move_tile(int64_t at, int64_t rows, int64_t columns, bool to_c) const {
  const int64_t scratch_step = entry().columns * size();
  const int64_t column_step = matrices.column_step * size();
  const int64_t row_step = matrices.row_step * size();
  for (size_t state = 0; state < entry().num_states; ++state) {
    std::byte* const there = matrices.c[state] + at;
    std::byte* const here = scratch + static_cast<int64_t>(state) * blocks.tile_bytes();
    StridedBox box;
    box.add(columns, to_c ? size() : column_step, to_c ? column_step : size());
    box.add(rows, to_c ? scratch_step : row_step, to_c ? row_step : scratch_step);
    copy_box(to_c ? here : there, to_c ? there : here, size(), box);
  }
}

void SemiringBlocks::multiply(const SemiringMatrices& matrices, bool accumulate,
                              std::byte* workspace) const noexcept {
  std::byte* const panels_a = workspace;
  std::byte* const panels_b = panels_a + panel_bytes(block_rows());
  std::byte* const panels_weights = panels_b + panel_bytes(block_columns());
  std::byte* const scratch = panels_weights + weights_bytes();
  std::byte* const lost = lost_bytes() == 0 ? nullptr : scratch + states_bytes();
  const Run run{*this, matrices, accumulate, panels_a, panels_b, panels_weights, scratch, lost};
  run.multiply();
}

}  // namespace tessera::kernels

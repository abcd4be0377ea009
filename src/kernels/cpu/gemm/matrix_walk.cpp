#include "kernels/cpu/gemm/matrix_walk.h"

#include <utility>

#include "kernels/cpu/walk/strided_copy.h"

namespace tessera::kernels {

namespace {

constexpr int64_t kSize = sizeof(float);

/// Adds a side to a box, with its steps in the tile and `dense` between its neighbours in rows.
template <class Steps>
void add_side(StridedBox& box, const MatrixSide& side, const Steps& steps, int64_t dense,
              bool reads_tile) noexcept {
  for (size_t label = side.labels.size(); label-- > 0;) {
    const int64_t in_tile = steps[label] * kSize;
    const int64_t in_rows = dense * kSize;
    box.add(side.lengths[label], reads_tile ? in_tile : in_rows, reads_tile ? in_rows : in_tile);
    dense *= side.lengths[label];
  }
}

}  // namespace

MatrixSide::MatrixSide(std::vector<expr::LabelNumber> labels_of_side, const CallShape& shape)
    : labels(std::move(labels_of_side)) {
  for (const expr::LabelNumber label : labels) {
    lengths.push_back(shape.ranges[static_cast<size_t>(label)].length);
    length *= lengths.back();
  }
}

/// Returns the step of a side whose labels are walked as one; 0 if they are not.
int64_t MatrixWalk::single_step(const MatrixSide& side, const Steps& steps) noexcept {
  int64_t step = 0;
  int64_t next = 0;
  for (size_t label = side.labels.size(); label-- > 0;) {
    if (side.lengths[label] == 1) {
      continue;
    }
    if (step != 0 && steps[label] != next) {
      return 0;
    }
    step = step == 0 ? steps[label] : step;
    next = steps[label] * side.lengths[label];
  }
  return step;
}

int64_t MatrixWalk::row_step() const noexcept {
  const int64_t step = single_step(rows_, row_steps_);
  return single_step(columns_, column_steps_) == 1 && step >= columns_.length ? step : 0;
}

StridedBox MatrixWalk::box(bool reads_tile) const noexcept {
  StridedBox box;
  add_side(box, columns_, column_steps_, 1, reads_tile);
  add_side(box, rows_, row_steps_, columns_.length, reads_tile);
  return box;
}

void MatrixWalk::to_rows(const float* tile, float* rows) const noexcept {
  copy_box(reinterpret_cast<const std::byte*>(tile), reinterpret_cast<std::byte*>(rows), kSize,
           box(true));
}

void MatrixWalk::from_rows(const float* rows, float* tile) const noexcept {
  copy_box(reinterpret_cast<const std::byte*>(rows), reinterpret_cast<std::byte*>(tile), kSize,
           box(false));
}

}  // namespace tessera::kernels

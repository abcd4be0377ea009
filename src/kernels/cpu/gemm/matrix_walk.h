#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_box.h"

namespace tessera::kernels {

/// Labels of a product that are its rows, its columns or its batches, counted as one; `length` is
/// that of all together.
struct MatrixSide {
  std::vector<expr::LabelNumber> labels;
  std::vector<int64_t> lengths;
  int64_t length = 1;

  MatrixSide(std::vector<expr::LabelNumber> labels_of_side, const CallShape& shape);

  /// Returns the distance of position `number` from the first one, in elements, in an array with
  /// these strides. `walked` is an access, or the out labels of a statement.
  template <class Walked>
  int64_t offset_of(int64_t number, const Walked& walked,
                    std::span<const int64_t> strides) const noexcept {
    int64_t offset = 0;
    for (size_t label = labels.size(); label-- > 0;) {
      offset += number % lengths[label] * step_of(walked, strides, labels[label]);
      number /= lengths[label];
    }
    return offset;
  }
};

/// A matrix of f32 in a tile, at any place: at least two rows and columns, each of several labels.
/// The sides are borrowed.
class MatrixWalk {
 public:
  template <class Walked>
  MatrixWalk(const MatrixSide& rows, const MatrixSide& columns, const Walked& walked,
             std::span<const int64_t> strides) noexcept
      : rows_(rows), columns_(columns) {
    for (size_t label = 0; label < rows.labels.size(); ++label) {
      row_steps_[label] = step_of(walked, strides, rows.labels[label]);
    }
    for (size_t label = 0; label < columns.labels.size(); ++label) {
      column_steps_[label] = step_of(walked, strides, columns.labels[label]);
    }
  }

  /// Returns the step between rows if columns are neighbours; 0 if not.
  int64_t row_step() const noexcept;
  int64_t row_length() const noexcept { return columns_.length; }

  /// Copy it from its tile to dense rows, and back.
  void to_rows(const float* tile, float* rows) const noexcept;
  void from_rows(const float* rows, float* tile) const noexcept;

 private:
  using Steps = std::array<int64_t, kMaxLabels>;
  StridedBox box(bool reads_tile) const noexcept;
  static int64_t single_step(const MatrixSide& side, const Steps& steps) noexcept;

  const MatrixSide& rows_;
  const MatrixSide& columns_;
  Steps row_steps_{};
  Steps column_steps_{};
};

}  // namespace tessera::kernels

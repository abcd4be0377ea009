#include "kernels/cpu/staged/gathering.h"

#include <array>
#include <cstring>
#include <optional>

#include "kernels/cpu/staged/framing.h"
#include "types/native.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Where a view's elements are: that of the first positions of the copy's labels, and how far the
/// neighbours along each are, in elements.
struct Reading {
  int64_t offset = 0;
  std::array<int64_t, kMostModes> steps{};
};

/// Copies row by row along the last label of the copy.
class Gathering {
 public:
  Gathering(const KernelCall& call, int32_t operand, const Gathered& gathered,
            std::span<const LabelRange> ranges, const TileView& copy) noexcept
      : call_(call),
        number_(operand),
        operand_(call.inputs[static_cast<size_t>(operand)]),
        gathered_(gathered),
        table_(call.inputs[static_cast<size_t>(gathered.table.operand)]),
        ranges_(ranges),
        copy_(copy),
        of_operand_(reading_of(operand_, gathered.index, gathered.mode, ranges)),
        of_table_(reading_of(table_, gathered.table.index, gathered.table.index.size(), ranges)),
        num_labels_(gathered.labels.size()) {}

  /// Positions of the copy's last label that have one place in the table are one row.
  Status run() const noexcept {
    std::array<int64_t, kMostModes> at{};
    const size_t last = num_labels_ - 1;
    const bool has_rows = num_labels_ > 0 && of_table_.steps[last] == 0;
    const int64_t row = has_rows ? copy_.shape[last] : 1;
    const int64_t step = has_rows ? of_operand_.steps[last] : 0;
    std::byte* to = copy_.data;
    do {
      if (const Status status = copy_row(at, row, step, to); status != Status::ok) {
        return status;
      }
      to += row * size_of(copy_.dtype);
    } while (advance(at, has_rows ? last : num_labels_));
    return Status::ok;
  }

 private:
  /// The gathered mode of an operand is left out.
  Reading reading_of(const TileView& view, const std::vector<expr::Index>& index, size_t left_out,
                     std::span<const LabelRange> ranges) const noexcept {
    Reading reading;
    for (size_t mode = 0; mode < index.size(); ++mode) {
      if (mode == left_out) {
        continue;
      }
      int64_t position = expr::offset_of(index[mode]);
      if (const std::optional<LabelNumber> label = expr::plain_label(index[mode])) {
        position += ranges[static_cast<size_t>(*label)].begin;
        for (size_t place = 0; place < gathered_.labels.size(); ++place) {
          reading.steps[place] += gathered_.labels[place] == *label ? view.strides[mode] : 0;
        }
      }
      reading.offset += (position - view.origin[mode]) * view.strides[mode];
    }
    return reading;
  }

  int64_t offset_at(const Reading& reading,
                    const std::array<int64_t, kMostModes>& at) const noexcept {
    int64_t offset = reading.offset;
    for (size_t place = 0; place < num_labels_; ++place) {
      offset += at[place] * reading.steps[place];
    }
    return offset;
  }

  /// The integer of the table; of u64 beyond i64 a position that no mode has.
  int64_t position_at(const std::array<int64_t, kMostModes>& at) const noexcept {
    const int64_t place = offset_at(of_table_, at);
    int64_t position = 0;
    visit_storage_type(gathered_.table_read.dtype(), [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>) {
        position = static_cast<int64_t>(+table_.as<T>()[place]);  // an i8 is no character
      }
    });
    return position;
  }

  Status copy_row(const std::array<int64_t, kMostModes>& at, int64_t row, int64_t step,
                  std::byte* to) const noexcept {
    const size_t mode = gathered_.mode;
    const int64_t bytes = size_of(copy_.dtype);
    const std::optional<int64_t> found = expr::bounded(position_at(at) - operand_.origin[mode],
                                                       operand_.shape[mode], gathered_.outside);
    if (!found) {
      return fill_outside(gathered_.outside, copy_.dtype, to, row) ? Status::ok : outside(at);
    }
    const std::byte* from =
        operand_.data + (offset_at(of_operand_, at) + *found * operand_.strides[mode]) * bytes;
    if (step == 1 || row == 1) {
      std::memcpy(to, from, static_cast<size_t>(row * bytes));
      return Status::ok;
    }
    for (int64_t element = 0; element < row; ++element) {
      std::memcpy(to + element * bytes, from + element * step * bytes, static_cast<size_t>(bytes));
    }
    return Status::ok;
  }

  /// Says which read it was.
  Status outside(const std::array<int64_t, kMostModes>& at) const noexcept {
    if (OutOfRange* const noted = call_.out_of_range) {
      for (size_t label = 0; label < ranges_.size(); ++label) {
        noted->labels[label] = ranges_[label].begin;
      }
      for (size_t place = 0; place < num_labels_; ++place) {
        noted->labels[static_cast<size_t>(gathered_.labels[place])] += at[place];
      }
      noted->body = &gathered_.table_read;
      noted->node = 0;
      noted->operand = number_;
      noted->mode = gathered_.mode;
      noted->position = position_at(at);
      noted->extent = operand_.origin[noted->mode] + operand_.shape[noted->mode];
    }
    return Status::out_of_range;
  }

  /// The next position of the first so many labels; false after the last.
  bool advance(std::array<int64_t, kMostModes>& at, size_t num_outer) const noexcept {
    for (size_t place = num_outer; place-- > 0;) {
      if (++at[place] < copy_.shape[place]) {
        return true;
      }
      at[place] = 0;
    }
    return false;
  }

  const KernelCall& call_;
  const int32_t number_;
  const TileView& operand_;
  const Gathered& gathered_;
  const TileView& table_;
  const std::span<const LabelRange> ranges_;
  const TileView& copy_;
  const Reading of_operand_;
  const Reading of_table_;
  const size_t num_labels_;
};

}  // namespace

Status stage_gathered(const KernelCall& call, int32_t operand, const Gathered& gathered,
                      std::span<const LabelRange> ranges, TileView& copy) noexcept {
  const size_t num_labels = gathered.labels.size();
  copy.shape = copy.strides = copy.origin = ModeValues(num_labels, 0);
  int64_t stride = 1;
  for (size_t place = num_labels; place-- > 0;) {
    const LabelRange& range = ranges[static_cast<size_t>(gathered.labels[place])];
    copy.origin[place] = range.begin;
    copy.shape[place] = range.length;
    copy.strides[place] = stride;
    stride *= range.length;
  }
  return Gathering(call, operand, gathered, ranges, copy).run();
}

}  // namespace tessera::kernels

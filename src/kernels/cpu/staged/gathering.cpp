#include "kernels/cpu/staged/gathering.h"

#include <array>
#include <cstring>
#include <optional>

#include "kernels/cpu/staged/framing.h"
#include "kernels/cpu/walk/plain_access.h"
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
  Gathering(const KernelCall& call, StagedViews operands, int32_t operand, const Gathered& gathered,
            std::span<const LabelRange> ranges, const TileView& copy) noexcept
      : call_(call),
        operands_(operands),
        number_(operand),
        operand_(operands[static_cast<size_t>(operand)]),
        gathered_(gathered),
        ranges_(ranges),
        copy_(copy),
        num_labels_(gathered.labels.size()) {
    of_operand_ = reading_of(operand_, gathered.index);
    for (size_t number = 0; number < gathered.modes.size(); ++number) {
      const expr::Access& table = gathered.modes[number].table;
      of_tables_[number] = reading_of(view_of(table), table.index);
    }
  }

  /// Positions of the copy's last label that have one place in each table are one row.
  Status run() const noexcept {
    std::array<int64_t, kMostModes> at{};
    const size_t last = num_labels_ - 1;
    bool has_rows = num_labels_ > 0;
    for (size_t number = 0; number < gathered_.modes.size(); ++number) {
      has_rows = has_rows && of_tables_[number].steps[last] == 0;
    }
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
  const TileView& view_of(const expr::Access& table) const noexcept {
    return operands_[static_cast<size_t>(table.operand)];
  }

  /// Gathered modes are left out.
  Reading reading_of(const TileView& view, const std::vector<expr::Index>& index) const noexcept {
    Reading reading;
    for (size_t mode = 0; mode < index.size(); ++mode) {
      if (!expr::is_plain_or_fixed(index[mode])) {
        continue;
      }
      int64_t position = expr::offset_of(index[mode]);
      if (const std::optional<LabelNumber> label = expr::plain_label(index[mode])) {
        position += ranges_[static_cast<size_t>(*label)].begin;
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

  /// The integer of the table of a gathered mode; of u64 beyond i64 a position that no mode has.
  int64_t position_at(size_t number, const std::array<int64_t, kMostModes>& at) const noexcept {
    const TileView& table = view_of(gathered_.modes[number].table);
    const int64_t place = offset_at(of_tables_[number], at);
    int64_t position = 0;
    visit_storage_type(table.dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>) {
        position = static_cast<int64_t>(+table.as<T>()[place]);  // an i8 is no character
      }
    });
    return position;
  }

  Status copy_row(const std::array<int64_t, kMostModes>& at, int64_t row, int64_t step,
                  std::byte* to) const noexcept {
    const int64_t bytes = size_of(copy_.dtype);
    int64_t place = offset_at(of_operand_, at);
    for (size_t number = 0; number < gathered_.modes.size(); ++number) {
      const auto& [mode, table, position, outside] = gathered_.modes[number];
      const std::optional<int64_t> found = expr::bounded(
          position_at(number, at) - operand_.origin[mode], operand_.shape[mode], outside);
      if (!found) {
        return fill_outside(outside, copy_.dtype, to, row) ? Status::ok : note_outside(number, at);
      }
      place += *found * operand_.strides[mode];
    }
    const std::byte* from = operand_.data + place * bytes;
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
  Status note_outside(size_t number, const std::array<int64_t, kMostModes>& at) const noexcept {
    const GatheredMode& gathered = gathered_.modes[number];
    if (DataFault* const noted = call_.fault) {
      for (size_t label = 0; label < ranges_.size(); ++label) {
        noted->labels[label] = ranges_[label].begin;
      }
      for (size_t place = 0; place < num_labels_; ++place) {
        noted->labels[static_cast<size_t>(gathered_.labels[place])] += at[place];
      }
      noted->body = &gathered.position;
      noted->node = static_cast<int32_t>(gathered.position.nodes.size()) - 1;
      noted->operand = number_;
      noted->mode = gathered.mode;
      noted->position = position_at(number, at);
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
  const StagedViews operands_;
  const int32_t number_;
  const TileView& operand_;
  const Gathered& gathered_;
  const std::span<const LabelRange> ranges_;
  const TileView& copy_;
  const size_t num_labels_;
  Reading of_operand_;
  std::array<Reading, kMostGatheredModes> of_tables_;  // by gathered mode
};

}  // namespace

Status stage_gathered(const KernelCall& call, StagedViews operands, int32_t operand,
                      const Gathered& gathered, std::span<const LabelRange> ranges,
                      TileView& copy) noexcept {
  set_dense(copy, gathered.labels, ranges);
  return Gathering(call, operands, operand, gathered, ranges, copy).run();
}

}  // namespace tessera::kernels

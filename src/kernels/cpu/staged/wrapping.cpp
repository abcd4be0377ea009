#include "kernels/cpu/staged/wrapping.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "expr/function_ids.h"
#include "expr/scalar_part.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_copy.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// A call of a function of something and a whole number.
struct CallByNumber {
  int32_t argument = 0;
  int64_t number = 0;
};

std::optional<CallByNumber> call_by_number(const expr::Scalar& body, int32_t node,
                                           const char* function) {
  const auto* call = std::get_if<expr::Call>(&body.nodes[static_cast<size_t>(node)].op);
  if (call == nullptr || call->function != function) {
    return std::nullopt;
  }
  const auto* number =
      std::get_if<expr::Constant>(&body.nodes[static_cast<size_t>(call->arguments[1])].op);
  const auto* whole = number == nullptr ? nullptr : std::get_if<int64_t>(&number->value);
  return whole == nullptr ? std::nullopt : std::optional(CallByNumber{call->arguments[0], *whole});
}

/// Reads ((label + offset) // divisor) % modulus, of which any part may be missing. Nothing if the
/// modulus or the divisor is not positive: division by 0 is a fault of the call.
std::optional<LabelNumber> read_mode(const expr::Scalar& body, int32_t node, WrappedMode& mode) {
  constexpr int64_t kMost = int64_t{1} << 40;
  const auto is_small = [](int64_t number) { return -kMost < number && number < kMost; };
  if (const auto remainder = call_by_number(body, node, expr::id::kRemainder)) {
    if (remainder->number <= 0) {
      return std::nullopt;
    }
    mode.modulus = remainder->number;
    node = remainder->argument;
  }
  if (const auto quotient = call_by_number(body, node, expr::id::kFloorDivide)) {
    mode.divisor = quotient->number;
    node = quotient->argument;
  }
  if (const auto sum = call_by_number(body, node, expr::id::kAdd)) {
    mode.offset = sum->number;
    node = sum->argument;
  } else if (const auto difference = call_by_number(body, node, expr::id::kSubtract)) {
    mode.offset = is_small(difference->number) ? -difference->number : kMost;
    node = difference->argument;
  }
  const auto* index = std::get_if<expr::IndexOf>(&body.nodes[static_cast<size_t>(node)].op);
  const bool is_sound = index != nullptr && mode.divisor > 0 && is_small(mode.divisor) &&
                        is_small(mode.modulus) && is_small(mode.offset);
  return is_sound ? std::optional(index->label) : std::nullopt;
}

int64_t floor_of(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

/// Returns the remainder of a value in a cycle.
int64_t rest_of(int64_t value, int64_t length) {
  return value - floor_of(value, length) * length;
}

/// A copy of stretches of the label in which every mode stays, or advances by one; whole periods of
/// the fastest mode at once if all others advance with them.
class Wrapping {
 public:
  Wrapping(const KernelCall& call, const TileView& operand, int32_t number, const Wrapped& wrapped,
           std::span<const LabelRange> ranges, const TileView& copy) noexcept
      : call_(call),
        operand_(operand),
        number_(number),
        wrapped_(wrapped),
        ranges_(ranges),
        copy_(copy) {
    for (const WrappedMode& mode : wrapped.modes) {
      period_ = std::min(period_, mode.divisor > 1 ? mode.divisor : mode.modulus);
    }
    set_steps();
  }

  Status run() const noexcept {
    const LabelRange& range = ranges_[static_cast<size_t>(wrapped_.label)];
    const int64_t end = range.begin + range.length;
    for (int64_t at = range.begin; at < end;) {
      const int64_t periods = num_periods(at, end);
      const int64_t positions = periods > 0 ? period_ : stretch(at, end);
      if (const WrappedMode* outside = mode_outside(at, periods, positions)) {
        return note_outside(*outside, at, std::max<int64_t>(periods, 1) * positions);
      }
      copy_box_at(at, std::max<int64_t>(periods, 1), positions);
      at += std::max<int64_t>(periods, 1) * positions;
    }
    return Status::ok;
  }

 private:
  static int64_t position_of(const WrappedMode& mode, int64_t at) {
    const int64_t quotient = floor_of(at + mode.offset, mode.divisor);
    return mode.modulus == 0 ? quotient : rest_of(quotient, mode.modulus);
  }

  /// Sets the steps of the modes that are read at labels and fixed places.
  void set_steps() noexcept {
    for (size_t mode = 0; mode < wrapped_.index.size(); ++mode) {
      if (!expr::is_plain_or_fixed(wrapped_.index[mode])) {
        continue;
      }
      int64_t position = expr::offset_of(wrapped_.index[mode]);
      if (const std::optional<LabelNumber> label = expr::plain_label(wrapped_.index[mode])) {
        position += ranges_[static_cast<size_t>(*label)].begin;
        for (size_t place = 0; place < wrapped_.labels.size(); ++place) {
          steps_[place] += wrapped_.labels[place] == *label ? operand_.strides[mode] : 0;
        }
      }
      offset_ += (position - operand_.origin[mode]) * operand_.strides[mode];
    }
  }

  /// Returns the positions from here on in which no mode jumps.
  int64_t stretch(int64_t at, int64_t end) const {
    int64_t length = end - at;
    for (const WrappedMode& mode : wrapped_.modes) {
      const int64_t left = mode.divisor > 1 ? mode.divisor - rest_of(at + mode.offset, mode.divisor)
                                            : mode.modulus - position_of(mode, at);
      length = std::min(length, left);
    }
    return length;
  }

  /// Returns the whole periods from here on, in which every mode begins anew, advances by one from
  /// one to the next, or stays.
  int64_t num_periods(int64_t at, int64_t end) const {
    int64_t periods = (end - at) / period_;
    for (const WrappedMode& mode : wrapped_.modes) {
      if (rest_of(at + mode.offset, period_) != 0) {
        return 0;
      }
      if (mode.divisor == 1) {
        periods = mode.modulus == period_ ? periods : 0;
      } else if (mode.divisor == period_) {
        periods =
            mode.modulus == 0 ? periods : std::min(periods, mode.modulus - position_of(mode, at));
      } else {
        const int64_t left = mode.divisor - rest_of(at + mode.offset, mode.divisor);
        periods = mode.divisor % period_ == 0 ? std::min(periods, left / period_) : 0;
      }
    }
    return periods;
  }

  /// Returns a mode that this many periods, or a part of one, leave; null if all stay inside.
  const WrappedMode* mode_outside(int64_t at, int64_t periods, int64_t positions) const {
    const int64_t last = at + std::max<int64_t>(periods, 1) * positions - 1;
    for (const WrappedMode& mode : wrapped_.modes) {
      const int64_t begin = operand_.origin[mode.mode];
      const int64_t end = begin + operand_.shape[mode.mode];
      if (position_of(mode, at) < begin || position_of(mode, last) >= end) {
        return &mode;
      }
    }
    return nullptr;
  }

  void copy_box_at(int64_t at, int64_t periods, int64_t positions) const {
    const int64_t bytes = size_of(copy_.dtype);
    const LabelRange& range = ranges_[static_cast<size_t>(wrapped_.label)];
    int64_t from = offset_;
    int64_t step = 0;         // from position to position
    int64_t period_step = 0;  // from period to period
    for (const WrappedMode& mode : wrapped_.modes) {
      const int64_t stride = operand_.strides[mode.mode];
      from += (position_of(mode, at) - operand_.origin[mode.mode]) * stride;
      step += mode.divisor == 1 ? stride : 0;
      period_step += mode.divisor > 1 && mode.divisor == period_ ? stride : 0;
    }
    StridedBox box{};
    int64_t to = 0;
    for (size_t place = wrapped_.labels.size(); place-- > 0;) {
      const int64_t write = copy_.strides[place] * bytes;
      if (wrapped_.labels[place] != wrapped_.label) {
        box.add(copy_.shape[place], steps_[place] * bytes, write);
        continue;
      }
      to = (at - range.begin) * write;
      from += (at - range.begin) * steps_[place];
      box.add(positions, (step + steps_[place]) * bytes, write);
      box.add(periods, (period_step + period_ * steps_[place]) * bytes, period_ * write);
    }
    copy_box(operand_.data + from * bytes, copy_.data + to, bytes, box);
  }

  /// Notes the faulty read: the first that left the mode.
  Status note_outside(const WrappedMode& mode, int64_t at, int64_t positions) const noexcept {
    if (DataFault* const noted = call_.fault) {
      const int64_t end = operand_.origin[mode.mode] + operand_.shape[mode.mode];
      const int64_t last = at + positions - 1;
      while (at < last && position_of(mode, at) >= operand_.origin[mode.mode] &&
             position_of(mode, at) < end) {
        ++at;
      }
      for (size_t label = 0; label < ranges_.size(); ++label) {
        noted->labels[label] = ranges_[label].begin;
      }
      noted->labels[static_cast<size_t>(wrapped_.label)] = at;
      noted->body = &mode.position;
      noted->node = static_cast<int32_t>(mode.position.nodes.size()) - 1;
      noted->operand = number_;
      noted->mode = mode.mode;
      noted->position = position_of(mode, at);
      noted->extent = end;
    }
    return Status::out_of_range;
  }

  const KernelCall& call_;
  const TileView& operand_;
  const int32_t number_;
  const Wrapped& wrapped_;
  const std::span<const LabelRange> ranges_;
  const TileView& copy_;
  int64_t period_ = std::numeric_limits<int64_t>::max();
  int64_t offset_ = 0;                       // of the first positions, in elements
  std::array<int64_t, kMostModes> steps_{};  // along each label of the copy
};

}  // namespace

std::optional<Wrapped> wrapped_of(const expr::Access& access, const expr::Scalar& body) {
  Wrapped wrapped;
  wrapped.index = access.index;
  const auto add_label = [&](LabelNumber label) {
    if (std::find(wrapped.labels.begin(), wrapped.labels.end(), label) == wrapped.labels.end()) {
      wrapped.labels.push_back(label);
    }
  };
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    const expr::Index& index = access.index[mode];
    if (expr::is_plain_or_fixed(index)) {
      if (const auto label = expr::plain_label(index)) {
        add_label(*label);
      }
      continue;
    }
    const auto* gathered = std::get_if<expr::GatheredIndex>(&index);
    const bool is_open =
        gathered == nullptr || !std::holds_alternative<expr::Inside>(gathered->outside);
    if (is_open) {
      return std::nullopt;
    }
    WrappedMode read{mode};
    const std::optional<LabelNumber> label = read_mode(body, gathered->node, read);
    const bool is_wrapped = read.divisor > 1 || read.modulus > 0;
    if (!label || !is_wrapped || (!wrapped.modes.empty() && *label != wrapped.label)) {
      return std::nullopt;
    }
    wrapped.label = *label;
    read.position = expr::part_of(body, gathered->node);
    wrapped.modes.push_back(std::move(read));
    add_label(*label);
  }
  return wrapped.modes.empty() ? std::nullopt : std::optional(std::move(wrapped));
}

Status stage_wrapped(const KernelCall& call, const TileView& operand, int32_t number,
                     const Wrapped& wrapped, std::span<const LabelRange> ranges,
                     TileView& copy) noexcept {
  set_dense(copy, wrapped.labels, ranges);
  return Wrapping(call, operand, number, wrapped, ranges, copy).run();
}

}  // namespace tessera::kernels

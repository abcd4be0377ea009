#include "kernels/cpu/staged/gathering.h"

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/cpu/staged/framing.h"
#include "kernels/cpu/staged/gather_space.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// A search for the element of a copy at which a position lies outside of its mode, for the
/// message.
class FaultFinder {
 public:
  FaultFinder(StagedViews operands, const TileView& operand, const Gathered& gathered,
              std::span<const LabelRange> ranges, const TileView& copy) noexcept
      : operands_(operands), operand_(operand), gathered_(gathered), ranges_(ranges), copy_(copy) {}

  /// Notes the faulty read: the first from this element of the copy on.
  void note(int64_t element, int32_t operand, DataFault& fault) noexcept {
    const int64_t end = num_elements(copy_.shape);
    for (; element < end; ++element) {
      place_at(element);
      for (const GatheredMode& mode : gathered_.modes) {
        const int64_t position = position_of(mode.table);
        if (!is_padded(mode.outside) && !is_inside(mode, position)) {
          note(mode, position, operand, fault);
          return;
        }
      }
    }
  }

 private:
  void place_at(int64_t element) noexcept {
    for (size_t label = 0; label < ranges_.size(); ++label) {
      labels_[label] = ranges_[label].begin;
    }
    for (size_t dim = gathered_.labels.size(); dim-- > 0;) {
      labels_[static_cast<size_t>(gathered_.labels[dim])] += element % copy_.shape[dim];
      element /= copy_.shape[dim];
    }
  }

  int64_t position_of(const expr::Access& table) const noexcept {
    const TileView& view = operands_[static_cast<size_t>(table.operand)];
    int64_t offset = 0;
    for (size_t mode = 0; mode < table.index.size(); ++mode) {
      const std::optional<LabelNumber> label = expr::plain_label(table.index[mode]);
      const int64_t position =
          expr::offset_of(table.index[mode]) + (label ? labels_[static_cast<size_t>(*label)] : 0);
      offset += (position - view.origin[mode]) * view.strides[mode];
    }
    return position_in(view.dtype, view.data + offset * size_of(view.dtype));
  }

  bool is_inside(const GatheredMode& mode, int64_t position) const noexcept {
    const int64_t place = static_cast<int64_t>(static_cast<uint64_t>(position) -
                                               static_cast<uint64_t>(operand_.origin[mode.mode]));
    return expr::bounded(place, operand_.shape[mode.mode], mode.outside).has_value();
  }

  void note(const GatheredMode& mode, int64_t position, int32_t operand,
            DataFault& fault) const noexcept {
    std::copy_n(labels_.begin(), ranges_.size(), fault.labels.begin());
    fault.body = &mode.position;
    fault.node = static_cast<int32_t>(mode.position.nodes.size()) - 1;
    fault.operand = operand;
    fault.mode = mode.mode;
    fault.position = position;
    fault.extent = operand_.origin[mode.mode] + operand_.shape[mode.mode];
  }

  const StagedViews operands_;
  const TileView& operand_;
  const Gathered& gathered_;
  const std::span<const LabelRange> ranges_;
  const TileView& copy_;
  std::array<int64_t, kMaxLabels> labels_{};
};

}  // namespace

Status gather_into(const KernelCall& call, StagedViews operands, int32_t operand,
                   const Gathered& gathered, std::span<const LabelRange> ranges,
                   const TileView& copy) noexcept {
  const TileView& from = operands[static_cast<size_t>(operand)];
  const int64_t filled = GatherSpace(gathered, from, operands, ranges, copy).fill();
  if (filled == num_elements(copy.shape)) {
    return Status::ok;
  }
  note_outside(call, operands, operand, gathered, ranges, copy, filled);
  return Status::out_of_range;
}

void note_outside(const KernelCall& call, StagedViews operands, int32_t operand,
                  const Gathered& gathered, std::span<const LabelRange> ranges,
                  const TileView& copy, int64_t element) noexcept {
  if (call.fault != nullptr) {
    const TileView& from = operands[static_cast<size_t>(operand)];
    FaultFinder(operands, from, gathered, ranges, copy).note(element, operand, *call.fault);
  }
}

Status stage_gathered(const KernelCall& call, StagedViews operands, int32_t operand,
                      const Gathered& gathered, std::span<const LabelRange> ranges,
                      TileView& copy) noexcept {
  set_dense(copy, gathered.labels, ranges);
  return gather_into(call, operands, operand, gathered, ranges, copy);
}

}  // namespace tessera::kernels

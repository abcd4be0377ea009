#include "kernels/cpu/scan/line_merger.h"

#include <algorithm>
#include <cstring>

namespace tessera::kernels {

int64_t LineMerger::workspace_bytes(const BlockReduction& reduction, int64_t num_lines) {
  int64_t bytes = reduction.program().buffer_bytes() + aligned_bytes(num_lines);
  for (const DType dtype : reduction.monoid().state) {
    bytes += 2 * aligned_bytes(num_lines * size_of(dtype));
  }
  return bytes;
}

LineMerger::LineMerger(const BlockReduction& reduction, int64_t num_lines,
                       std::byte* memory) noexcept
    : reduction_(reduction), num_lines_(num_lines) {
  static constexpr bool kNoStreams[1] = {};
  machine_.bind(reduction.program(), kNoStreams, memory);
  Carver carver(memory + reduction.program().buffer_bytes());
  const std::vector<DType>& state = reduction.monoid().state;
  for (size_t entry = 0; entry < state.size(); ++entry) {
    const auto bytes = static_cast<size_t>(num_lines * size_of(state[entry]));
    part_[entry] = carver.take<std::byte>(bytes).data();
    merged_[entry] = carver.take<std::byte>(bytes).data();
  }
  lost_ = carver.take<bool>(static_cast<size_t>(num_lines)).data();
  std::fill_n(lost_, num_lines, false);
}

Status LineMerger::merge(const StateBuffers& before) noexcept {
  const std::vector<DType>& state = reduction_.monoid().state;
  for (int64_t first = 0; first < num_lines_; first += kBlock) {
    const int64_t count = std::min<int64_t>(kBlock, num_lines_ - first);
    for (size_t entry = 0; entry < state.size(); ++entry) {
      const int64_t offset = first * size_of(state[entry]);
      const auto position = static_cast<int32_t>(entry);
      machine_.set_parameter(position, before[entry] + offset);
      machine_.set_parameter(static_cast<int32_t>(state.size()) + position, part_[entry] + offset);
    }
    if (const Status status = machine_.run(nullptr, count, nullptr, nullptr);
        status != Status::ok) {
      return status;
    }
    for (size_t entry = 0; entry < state.size(); ++entry) {
      const int64_t size = size_of(state[entry]);
      std::memcpy(merged_[entry] + first * size, machine_.result(entry),
                  static_cast<size_t>(count * size));
    }
  }
  const MergedStates states{before, part_, merged_};
  has_lost_ = loses_range(reduction_.monoid(), states, num_lines_);
  for (int64_t line = 0; has_lost_ && line < num_lines_; ++line) {
    lost_[line] = range_loss(reduction_.monoid(), states, line) != RangeLoss::none;
  }
  return Status::ok;
}

void LineMerger::settle(const StateBuffers& states) const noexcept {
  const std::vector<DType>& state = reduction_.monoid().state;
  for (size_t entry = 0; entry < state.size(); ++entry) {
    const int64_t size = size_of(state[entry]);
    for (int64_t line = 0; line < num_lines_; ++line) {
      if (!lost_[line]) {
        std::memcpy(states[entry] + line * size, merged_[entry] + line * size,
                    static_cast<size_t>(size));
      }
    }
  }
}

}  // namespace tessera::kernels

#include <algorithm>

#include "kernels/cpu/scan/scan_band.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// The lines of one loop, among all lines of a band.
struct LineLoop {
  std::array<Walk, kMostScanned + 1> walks;  // the elements by entry, then the stored results
  std::array<int64_t, kMostScanned + 1> strides{1, 1, 1};  // from line to line
  size_t num_walks = 0;
  int64_t num_lines = 1;
  size_t along = 0;  // places in the order of labels
  size_t first = 0;  // from here on, positions are lines
};

/// True if the positions of a label continue where the lines of a loop end.
bool lies_on(const LineLoop& loop, LabelNumber label) noexcept {
  for (size_t walk = 0; walk < loop.num_walks && loop.num_lines > 1; ++walk) {
    if (loop.walks[walk].steps[static_cast<size_t>(label)] != loop.strides[walk] * loop.num_lines) {
      return false;
    }
  }
  return true;
}

/// Makes one loop of the lines that are contiguous in all operands and results, as many as there
/// are behind the label.
LineLoop line_loop(const ScanBand& band) noexcept {
  const std::vector<LabelNumber>& order = band.plan.order;
  LineLoop loop;
  loop.num_walks = band.plan.num_states();
  std::copy_n(band.elements.begin(), loop.num_walks, loop.walks.begin());
  if (!band.plan.merges()) {
    loop.walks[loop.num_walks++] = band.results[0];
  }
  loop.along = static_cast<size_t>(std::find(order.begin(), order.end(), band.plan.form.along()) -
                                   order.begin());
  loop.first = order.size();
  while (loop.first > loop.along + 1 && lies_on(loop, order[loop.first - 1])) {
    --loop.first;
    const auto label = static_cast<size_t>(order[loop.first]);
    for (size_t walk = 0; walk < loop.num_walks && loop.num_lines == 1; ++walk) {
      loop.strides[walk] = loop.walks[walk].steps[label];
    }
    loop.num_lines *= band.length_of(order[loop.first]);
  }
  return loop;
}

/// Returns the part of a block that is the same for all loops.
ScanBlock block_of(const ScanBand& band, const LineLoop& loop) noexcept {
  const LabelNumber along = band.plan.form.along();
  ScanBlock block;
  block.num_lines = loop.num_lines;
  block.num_steps = band.length_of(along);
  block.is_exclusive = band.plan.is_exclusive();
  for (size_t entry = 0; entry < band.plan.num_states(); ++entry) {
    block.step[entry] = band.turn() * loop.walks[entry].steps[static_cast<size_t>(along)];
    block.stride[entry] = loop.strides[entry];
    block.state[entry] = band.states[entry];
  }
  if (!band.plan.merges()) {
    block.result_step = band.turn() * band.results[0].steps[static_cast<size_t>(along)];
  }
  return block;
}

/// Goes to the next lines. Returns false after the last. `at` is by place in the order of labels.
bool advance(const ScanBand& band, const LineLoop& loop,
             std::array<int64_t, kMaxLabels>& at) noexcept {
  for (size_t outer = loop.first; outer-- > 0;) {
    if (outer != loop.along) {
      if (++at[outer] < band.length_of(band.plan.order[outer])) {
        return true;
      }
      at[outer] = 0;
    }
  }
  return false;
}

}  // namespace

void scan_lines(const ScanBand& band) noexcept {
  const ScanPlan& plan = band.plan;
  const LineLoop loop = line_loop(band);
  ScanBlock block = block_of(band, loop);
  const int64_t bytes = size_of(plan.form.loop->type);
  std::array<int64_t, kMaxLabels> at{};  // by place in the order: the position of a loop's lines
  at[loop.along] = plan.is_backward() ? block.num_steps - 1 : 0;
  const auto place = [&](const Walk& walk) {
    int64_t offset = 0;
    for (size_t outer = 0; outer < loop.first; ++outer) {
      offset += at[outer] * walk.steps[static_cast<size_t>(plan.order[outer])];
    }
    return walk.first + offset * bytes;
  };
  do {
    for (size_t entry = 0; entry < plan.num_states(); ++entry) {
      block.elements[entry] = place(band.elements[entry]);
    }
    block.results = plan.merges() ? nullptr : place(band.results[0]);
    plan.form.loop->run(block);
    for (size_t entry = 0; entry < plan.num_states(); ++entry) {
      block.state[entry] = static_cast<std::byte*>(block.state[entry]) + block.num_lines * bytes;
    }
  } while (advance(band, loop, at));
}

}  // namespace tessera::kernels

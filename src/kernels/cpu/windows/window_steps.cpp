#include "kernels/cpu/windows/window_steps.h"

namespace tessera::kernels {

namespace {

/// The innermost modes that are walked as one line, and those around them.
struct Lines {
  size_t num_outer = 0;
  WindowLine line;
};

/// Splits the modes. Modes join a line while both arrays walk them as one; the merged mode joins if
/// a place is one element, and is then the last.
Lines lines_of(const WindowStep& step, size_t num_modes, const WindowData& from,
               const WindowData& to) noexcept {
  const size_t last = num_modes - 1;
  Lines lines{last, {}};
  lines.line.tap_step = step.tap_step * from.strides[step.mode];
  lines.line.num_taps = step.num_taps;
  lines.line.count = to.extents[last];
  lines.line.place_step = from.strides[last] * (step.mode == last ? step.place_step : 1);
  if (step.mode == last || lines.line.place_step != 1) {
    return lines;
  }
  for (size_t mode = last; mode-- > step.mode;) {
    const bool is_one = from.strides[mode] == lines.line.count &&
                        to.strides[mode] == lines.line.count &&
                        (mode != step.mode || step.place_step == 1);
    if (!is_one) {
      break;
    }
    lines.line.count *= to.extents[mode];
    lines.num_outer = mode;
  }
  return lines;
}

}  // namespace

WindowData dense_array(std::byte* data, const PerMode& extents) noexcept {
  WindowData array{data, extents, {}};
  int64_t stride = 1;
  for (size_t mode = kMostWindowModes; mode-- > 0;) {
    array.strides[mode] = stride;
    stride *= extents[mode];
  }
  return array;
}

void run_step(const WindowStep& step, size_t num_modes, const WindowAggregate::State& state,
              const WindowData& from, const WindowData& to, bool merges) noexcept {
  const int64_t size = size_of(state.type);
  Lines lines = lines_of(step, num_modes, from, to);
  lines.line.continues = merges || step.continues;
  const std::byte* read = from.data + step.offset * from.strides[step.mode] * size;
  std::byte* written = to.data;
  const auto move = [&](size_t mode, int64_t places) {
    const int64_t place_step = mode == step.mode ? step.place_step : 1;
    read += places * place_step * from.strides[mode] * size;
    written += places * to.strides[mode] * size;
  };
  PerMode place{};
  while (true) {
    state.merge(read, lines.line, written);
    size_t mode = lines.num_outer;
    while (mode > 0 && place[mode - 1] + 1 == to.extents[mode - 1]) {
      move(mode - 1, -place[mode - 1]);
      place[mode - 1] = 0;
      --mode;
    }
    if (mode == 0) {
      return;
    }
    ++place[mode - 1];
    move(mode - 1, 1);
  }
}

}  // namespace tessera::kernels

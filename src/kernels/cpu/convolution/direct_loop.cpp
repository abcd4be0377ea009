#include "kernels/cpu/convolution/direct_loop.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// The position of a walk in every array.
struct At {
  const float* data;
  const float* weights;
  float* result;

  void move(const LabelSteps& steps, int64_t positions) noexcept {
    data += steps.data * positions;
    weights += steps.weights * positions;
    result += steps.result * positions;
  }
};

/// Calls visit at every position of some labels, the last of which runs fastest.
template <class Visit>
void for_each_position(std::span<const LabelRange> ranges, std::span<const LabelSteps> steps,
                       std::span<const LabelNumber> labels, At at, const Visit& visit) noexcept {
  if (labels.empty()) {
    visit(at);
    return;
  }
  const auto label = static_cast<size_t>(labels.front());
  for (int64_t position = 0; position < ranges[label].length; ++position) {
    for_each_position(ranges, steps, labels.subspan(1), at, visit);
    at.move(steps[label], 1);
  }
}

}  // namespace

void convolve_directly(std::span<const LabelRange> ranges, std::span<const LabelSteps> steps,
                       std::span<const LabelNumber> out, std::span<const LabelNumber> over,
                       const std::byte* data, const std::byte* weights, std::byte* result,
                       bool accumulate) noexcept {
  const At begin{reinterpret_cast<const float*>(data), reinterpret_cast<const float*>(weights),
                 reinterpret_cast<float*>(result)};
  for_each_position(ranges, steps, out, begin, [&](const At& at) {
    float sum = accumulate ? *at.result : 0.0F;
    for_each_position(ranges, steps, over, at,
                      [&](const At& term) { sum += *term.data * *term.weights; });
    *at.result = sum;
  });
}

}  // namespace tessera::kernels

#include "loops/memory.h"

#include <atomic>

#include "loops/vectors.h"

namespace tessera::bench {

namespace {

constexpr auto kWide = static_cast<int64_t>(kLanes<int64_t>);

/// Whole vectors of 64-bit words. REQUIRES a length of some.
int64_t words_of(const Array& array) {
  return size_in_bytes(array.type()) / static_cast<int64_t>(kVectorBytes) * kWide;
}

void copy(const std::vector<Array>& inputs, const Array& result, int threads) {
  const auto* const from = inputs[0].as<int64_t>();
  auto* const to = result.as<int64_t>();
  const int64_t words = words_of(inputs[0]);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t at = 0; at < words; at += kWide) {
    stream(to + at, load(from + at));
  }
}

void read(const std::vector<Array>& inputs, const Array&, int threads) {
  static std::atomic<int64_t> kept;  // so that nothing is left out
  const auto* const from = inputs[0].as<int64_t>();
  const int64_t words = words_of(inputs[0]) / (4 * kWide) * (4 * kWide);
  int64_t total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
    Vector<int64_t> sums[4] = {};
#pragma omp for schedule(static)
    for (int64_t at = 0; at < words; at += 4 * kWide) {
      for (int lane = 0; lane < 4; ++lane) {
        sums[lane] += load(from + at + lane * kWide);
      }
    }
    for (const Vector<int64_t>& sum : sums) {
      total += folded<int64_t>(sum, [](int64_t a, int64_t b) { return a + b; });
    }
  }
  kept = total;
}

}  // namespace

Limit copy_loop() {
  return {"copy", &copy, false};
}
Limit read_loop() {
  return {"read", &read, false};
}

}  // namespace tessera::bench

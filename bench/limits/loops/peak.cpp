#include "loops/peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "loops/memory.h"
#include "loops/vectors.h"

namespace tessera::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const auto& function) {
  const auto start = Clock::now();
  function();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
double peak(int threads) {
  constexpr int kChains = 16;  // more than the latency times the units
  constexpr int64_t kSteps = 4'000'000;
  static std::atomic<double> kept;
  double most = 0;
  for (int turn = 0; turn < 5; ++turn) {
    const double seconds = seconds_of([&] {
#pragma omp parallel num_threads(threads)
      {
        Vector<T> sums[kChains];
        for (int chain = 0; chain < kChains; ++chain) {
          sums[chain] = all(static_cast<T>(chain));  // else the compiler knows that all are equal
        }
        Vector<T> factor = all(T(1) - T(1e-6));
        for (int64_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
          for (Vector<T>& sum : sums) {
            sum = sum * factor + factor;
          }
        }
        for (const Vector<T>& sum : sums) {
          kept = kept + static_cast<double>(sum[0]);
        }
      }
    });
    most = std::max(most, 2.0 * kChains * kSteps * kLanes<T> * threads / seconds);
  }
  return most;
}

}  // namespace

double measured_peak(DType dtype, int threads) {
  return dtype == DType::f64 || dtype == DType::c128 ? peak<double>(threads) : peak<float>(threads);
}

double measured_bandwidth(int threads) {
  std::vector<Array> inputs;
  inputs.emplace_back(ArrayType{DType::f32, {64 << 20}});
  const Array none({DType::f32, {1}});
  const Limit read = read_loop();
  double most = 0;
  for (int turn = 0; turn < 5; ++turn) {
    const double seconds = seconds_of([&] { read.run(inputs, none, threads); });
    most = std::max(most, static_cast<double>(size_in_bytes(inputs[0].type())) / seconds);
  }
  return most;
}

}  // namespace tessera::bench

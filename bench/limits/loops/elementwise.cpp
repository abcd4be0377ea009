#include "loops/elementwise.h"

#include <algorithm>
#include <cmath>

#include "loops/vectors.h"

namespace tessera::bench {

namespace {

constexpr auto kWide = static_cast<int64_t>(kLanes<float>);
constexpr int64_t kLongestRow = 16384;

void exponential_chain(const std::vector<Array>& inputs, const Array& result, int threads) {
  const float* const x = inputs[0].as<float>();
  const float* const y = inputs[1].as<float>();
  const float* const z = inputs[2].as<float>();
  auto* const out = result.as<float>();
  const auto count = static_cast<int64_t>(result.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t at = 0; at < count; at += kWide) {
    stream(out + at, exponential(load(x + at) - 0.5F) * load(y + at) + load(z + at));
  }
}

void power(const std::vector<Array>& inputs, const Array& result, int threads) {
  const float* const x = inputs[0].as<float>();
  auto* const out = result.as<float>();
  const auto count = static_cast<int64_t>(result.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t at = 0; at < count; at += kWide) {
    Vector<float> root = load(x + at);
    const Vector<float> value = root;
    for (int64_t lane = 0; lane < kWide; ++lane) {
      root[lane] = std::sqrt(root[lane]);
    }
    stream(out + at, value * value * root);
  }
}

float largest_of(const float* row, int64_t length) {
  Vector<float> most[4] = {load(row), load(row), load(row), load(row)};
  for (int64_t j = 0; j < length; j += 4 * kWide) {
    for (int lane = 0; lane < 4; ++lane) {
      most[lane] = larger<float>(most[lane], load(row + j + lane * kWide));
    }
  }
  const auto both = larger<float>(larger<float>(most[0], most[1]), larger<float>(most[2], most[3]));
  return folded<float>(both, [](float a, float b) { return std::max(a, b); });
}

template <class Of>
float sum_of(const float* row, int64_t length, Of of) {
  Vector<float> sums[4] = {};
  for (int64_t j = 0; j < length; j += 4 * kWide) {
    for (int lane = 0; lane < 4; ++lane) {
      sums[lane] += of(load(row + j + lane * kWide));
    }
  }
  return folded<float>((sums[0] + sums[1]) + (sums[2] + sums[3]),
                       [](float a, float b) { return a + b; });
}

/// Calls `row(from, to, length)` for every row.
template <class Row>
void over_rows(const std::vector<Array>& inputs, const Array& result, int threads, Row row) {
  const int64_t length = inputs[0].extent(1);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t i = 0; i < inputs[0].extent(0); ++i) {
    row(inputs[0].as<float>() + i * length, result.as<float>() + i * length, length);
  }
}

void softmax_row(const float* from, float* to, int64_t length) {
  alignas(64) thread_local float powers[kLongestRow];
  const float most = largest_of(from, length);
  Vector<float> sums[2] = {};
  for (int64_t j = 0; j < length; j += 2 * kWide) {
    for (int lane = 0; lane < 2; ++lane) {
      const Vector<float> value = exponential(load(from + j + lane * kWide) - most);
      store(powers + j + lane * kWide, value);
      sums[lane] += value;
    }
  }
  const float sum = folded<float>(sums[0] + sums[1], [](float a, float b) { return a + b; });
  for (int64_t j = 0; j < length; j += kWide) {
    stream(to + j, load(powers + j) * (1 / sum));
  }
}

void layer_norm_row(const float* from, float* to, int64_t length) {
  const auto count = static_cast<float>(length);
  const float mean = sum_of(from, length, [](Vector<float> x) { return x; }) / count;
  const float variance =
      sum_of(from, length, [mean](Vector<float> x) { return (x - mean) * (x - mean); }) / count;
  const float scale = 1 / std::sqrt(variance + 1e-5F);
  for (int64_t j = 0; j < length; j += kWide) {
    stream(to + j, (load(from + j) - mean) * scale);
  }
}

void rms_norm_row(const float* from, float* to, int64_t length) {
  const auto count = static_cast<float>(length);
  const float squares = sum_of(from, length, [](Vector<float> x) { return x * x; }) / count;
  const float scale = 1 / std::sqrt(squares + 1e-5F);
  for (int64_t j = 0; j < length; j += kWide) {
    stream(to + j, load(from + j) * scale);
  }
}

/// Three passes over a panel of columns, each of which has its largest and its sum in registers.
void softmax_columns(const std::vector<Array>& inputs, const Array& result, int threads) {
  const int64_t rows = inputs[0].extent(0);
  const int64_t columns = inputs[0].extent(1);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t panel = 0; panel < columns; panel += kWide) {
    const float* const from = inputs[0].as<float>() + panel;
    auto* const to = result.as<float>() + panel;
    Vector<float> most = load(from);
    for (int64_t i = 1; i < rows; ++i) {
      most = larger<float>(most, load(from + i * columns));
    }
    Vector<float> sum = {};
    for (int64_t i = 0; i < rows; ++i) {
      const Vector<float> value = exponential(load(from + i * columns) - most);
      store(to + i * columns, value);
      sum += value;
    }
    const Vector<float> scale = 1 / sum;
    for (int64_t i = 0; i < rows; ++i) {
      store(to + i * columns, load(to + i * columns) * scale);
    }
  }
}

template <class Row>
Limit row_limit(Row row) {
  return {"loop", [row](const std::vector<Array>& inputs, const Array& result, int threads) {
            over_rows(inputs, result, threads, row);
          }};
}

}  // namespace

Limit exponential_loop() {
  return {"loop", &exponential_chain};
}
Limit power_loop() {
  return {"loop", &power};
}
Limit softmax_rows_loop() {
  return row_limit(&softmax_row);
}
Limit layer_norm_loop() {
  return row_limit(&layer_norm_row);
}
Limit rms_norm_loop() {
  return row_limit(&rms_norm_row);
}
Limit softmax_columns_loop() {
  return {"loop", &softmax_columns};
}

}  // namespace tessera::bench

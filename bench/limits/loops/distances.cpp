#include "loops/distances.h"

#include <algorithm>
#include <limits>

#include "loops/vectors.h"

namespace tessera::bench {

namespace {

#ifdef __AVX512F__
constexpr int kRows = 8;
#else
constexpr int kRows = 4;
#endif
constexpr int kColumns = 3;  // vectors

/// One register tile: `step(sum, x, y, j)` over all j.
template <class T, class Step>
void tile(const T* x, const T* y, T* result, int64_t depth, int64_t columns, T start, Step step) {
  Vector<T> sums[kRows][kColumns];
  for (auto& row : sums) {
    for (auto& sum : row) {
      sum = all(start);
    }
  }
  for (int64_t j = 0; j < depth; ++j) {
    Vector<T> right[kColumns];
    for (int c = 0; c < kColumns; ++c) {
      right[c] = load(y + j * columns + c * static_cast<int64_t>(kLanes<T>));
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vector<T> left = all(x[r * depth + j]);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        sums[r][c] = step(sums[r][c], left, right[c], j);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      store(result + r * columns + c * static_cast<int64_t>(kLanes<T>), sums[r][c]);
    }
  }
}

template <class T, class Step>
void over_tiles(const std::vector<Array>& inputs, const Array& result, int threads, T start,
                Step step) {
  const int64_t rows = inputs[0].extent(0);
  const int64_t depth = inputs[0].extent(1);
  const int64_t columns = inputs[1].extent(1);
  constexpr auto kWidth = static_cast<int64_t>(kColumns * kLanes<T>);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t block = 0; block < (columns + kWidth - 1) / kWidth; ++block) {
    const int64_t column = std::min(block * kWidth, columns - kWidth);  // the last ones overlap
    for (int64_t row = 0; row < rows; row += kRows) {
      tile(inputs[0].as<T>() + row * depth, inputs[1].as<T>() + column,
           result.as<T>() + row * columns + column, depth, columns, start, step);
    }
  }
}

template <class T>
void run(Distance distance, const std::vector<Array>& inputs, const Array& result, int threads) {
  using V = Vector<T>;
  switch (distance) {
    case Distance::largest_absolute:
      return over_tiles<T>(inputs, result, threads, T{0}, [](V sum, V x, V y, int64_t) {
        return larger<T>(sum, absolute<T>(x - y));
      });
    case Distance::sum_of_squares:
      return over_tiles<T>(inputs, result, threads, T{0},
                           [](V sum, V x, V y, int64_t) { return (x - y) * (x - y) + sum; });
    case Distance::least_sum:
      return over_tiles<T>(inputs, result, threads, std::numeric_limits<T>::max(),
                           [](V sum, V x, V y, int64_t) { return smaller<T>(sum, x + y); });
    case Distance::largest_sum:
      return over_tiles<T>(inputs, result, threads, std::numeric_limits<T>::lowest(),
                           [](V sum, V x, V y, int64_t) { return larger<T>(sum, x + y); });
  }
}

template <class T>
void run_weighted(const std::vector<Array>& inputs, const Array& result, int threads) {
  using V = Vector<T>;
  const T* const weights = inputs[2].as<T>();
  over_tiles<T>(inputs, result, threads, T{0}, [weights](V sum, V x, V y, int64_t j) {
    const V difference = x - y;
    return difference * weights[j] * difference + sum;
  });
}

}  // namespace

Limit distance_loop(Distance distance, DType dtype) {
  return {"loop", [=](const std::vector<Array>& inputs, const Array& result, int threads) {
            dtype == DType::f32 ? run<float>(distance, inputs, result, threads)
                                : run<double>(distance, inputs, result, threads);
          }};
}

Limit weighted_loop(DType dtype) {
  return {"loop", [=](const std::vector<Array>& inputs, const Array& result, int threads) {
            dtype == DType::f32 ? run_weighted<float>(inputs, result, threads)
                                : run_weighted<double>(inputs, result, threads);
          }};
}

}  // namespace tessera::bench

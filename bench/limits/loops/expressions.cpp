#include "loops/expressions.h"

#include <algorithm>

namespace tessera::bench {

namespace {

template <class T>
T chain_of_4(T x, T y) {
  return (x + y) * x - y * T(0.5);
}

template <class T>
T chain_of_8(T x, T y) {
  const T a = (x + y) * x - y * T(0.5);
  return (a * y + x) * (a - y) + T(2);
}

template <class T>
T chain_of_16(T x, T y) {
  const T a = (x + y) * x - y * T(0.5);
  const T b = (a * y + x) * (a - y) + T(2);
  const T c = (b - x) * (a + y) - b * T(0.25);
  return (c + a) * (y - T(1)) + b * c;
}

template <class T>
T polynomial(T x) {
  return ((((((x * T(0.5) + T(3)) * x - T(2)) * x + T(0.25)) * x - T(5)) * x + T(1)) * x - T(7));
}

float choice(float x, float y) {
  const float side = x > y ? x * y : x - y;
  return side + (x < 0 ? y * 2.0F : x);
}

float bounds(float x, float y) {
  return std::min(std::max(x * y, -1.0F), 1.0F) + std::max(x - y, 0.0F) * 2.0F;
}

int32_t integers(int32_t x, int32_t y) {
  return (x * 3 + y) * (x - y) + (x & y) * 5 - (x | y);
}

float outer(float x, float y) {
  return (x * y + x) / (y * y + 1.0F) - x * 0.5F;
}

template <class T, class F>
Limit over_vectors(F f) {
  return {"loop", [f](const std::vector<Array>& inputs, const Array& result, int threads) {
            const T* const x = inputs[0].as<T>();
            const T* const y = inputs[1].as<T>();
            auto* const out = result.as<T>();
            const auto count = static_cast<int64_t>(result.size());
#pragma omp parallel for simd schedule(static) num_threads(threads)
            for (int64_t i = 0; i < count; ++i) {
              out[i] = f(x[i], y[i]);
            }
          }};
}

/// Every element of the matrix.
template <class T, class F>
Limit over_pairs(F f) {
  return {"loop", [f](const std::vector<Array>& inputs, const Array& result, int threads) {
            const T* const x = inputs[0].as<T>();
            const T* const y = inputs[1].as<T>();
            const int64_t columns = inputs[1].extent(0);
#pragma omp parallel for schedule(static) num_threads(threads)
            for (int64_t i = 0; i < inputs[0].extent(0); ++i) {
              auto* const out = result.as<T>() + i * columns;
#pragma omp simd
              for (int64_t j = 0; j < columns; ++j) {
                out[j] = f(x[i], y[j]);
              }
            }
          }};
}

template <class T, class F>
Limit summed(F f) {
  return {"loop", [f](const std::vector<Array>& inputs, const Array& result, int threads) {
            const T* const x = inputs[0].as<T>();
            const T* const y = inputs[1].as<T>();
            const int64_t columns = inputs[1].extent(0);
#pragma omp parallel for schedule(static) num_threads(threads)
            for (int64_t i = 0; i < inputs[0].extent(0); ++i) {
              T sum = 0;
#pragma omp simd reduction(+ : sum)
              for (int64_t j = 0; j < columns; ++j) {
                sum += f(x[i], y[j]);
              }
              result.as<T>()[i] = sum;
            }
          }};
}

template <class T, class F>
Limit largest(F f) {
  return {"loop", [f](const std::vector<Array>& inputs, const Array& result, int threads) {
            const T* const x = inputs[0].as<T>();
            const T* const y = inputs[1].as<T>();
            const int64_t columns = inputs[1].extent(0);
#pragma omp parallel for schedule(static) num_threads(threads)
            for (int64_t i = 0; i < inputs[0].extent(0); ++i) {
              T most = f(x[i], y[0]);
#pragma omp simd reduction(max : most)
              for (int64_t j = 1; j < columns; ++j) {
                most = std::max(most, f(x[i], y[j]));
              }
              result.as<T>()[i] = most;
            }
          }};
}

/// A function that may be inlined into the loops.
#define TESSERA_BENCH_OF(function) [](auto x, auto y) { return function(x, y); }

}  // namespace

ExpressionLoops expression_loops() {
  const auto of_product = [](auto x, auto y) { return polynomial(x * y); };
  return {.chain_of_4 = over_vectors<float>(TESSERA_BENCH_OF(chain_of_4)),
          .chain_of_8 = over_vectors<float>(TESSERA_BENCH_OF(chain_of_8)),
          .chain_of_16 = over_vectors<float>(TESSERA_BENCH_OF(chain_of_16)),
          .chain_of_16_f64 = over_vectors<double>(TESSERA_BENCH_OF(chain_of_16)),
          .polynomial = over_vectors<float>(of_product),
          .choice = over_vectors<float>(TESSERA_BENCH_OF(choice)),
          .bounds = over_vectors<float>(TESSERA_BENCH_OF(bounds)),
          .integers = over_vectors<int32_t>(TESSERA_BENCH_OF(integers)),
          .outer = over_pairs<float>(TESSERA_BENCH_OF(outer)),
          .sum_of_chain = summed<float>(TESSERA_BENCH_OF(chain_of_16)),
          .sum_of_chain_f64 = summed<double>(TESSERA_BENCH_OF(chain_of_16)),
          .sum_of_polynomial = summed<float>(of_product),
          .sum_of_choice = summed<float>(TESSERA_BENCH_OF(choice)),
          .max_of_bounds = largest<float>(TESSERA_BENCH_OF(bounds)),
          .sum_of_integers = summed<int32_t>(TESSERA_BENCH_OF(integers))};
}

}  // namespace tessera::bench

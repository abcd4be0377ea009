#include "loops/gathers.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "types/native.h"

namespace tessera::bench {

namespace {

template <class Body>
void visit_both(DType element, DType position, Body body) {
  visit_storage_type(element, [&]<class T>(std::type_identity<T> of_element) {
    visit_storage_type(position, [&]<class I>(std::type_identity<I> of_position) {
      if constexpr (std::is_arithmetic_v<T> && std::is_integral_v<I> && !std::is_same_v<T, bool> &&
                    !std::is_same_v<I, bool>) {
        body(of_element, of_position);
      }
    });
  });
}

/// Adds what `add(into, begin, end)` adds for parts of n on threads, each into a result of its own.
template <class T, class Add>
void add_in_parts(const Array& result, int64_t n, int threads, Add add) {
  const auto size = static_cast<int64_t>(result.size());
  std::fill_n(result.as<T>(), size, T{});
  std::vector<std::vector<T>> others(static_cast<size_t>(threads - 1));
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int part = 0; part < threads; ++part) {
    T* into = result.as<T>();
    if (part > 0) {
      others[static_cast<size_t>(part - 1)].assign(static_cast<size_t>(size), T{});
      into = others[static_cast<size_t>(part - 1)].data();
    }
    add(into, n * part / threads, n * (part + 1) / threads);
  }
  for (const std::vector<T>& other : others) {
    for (int64_t place = 0; place < size; ++place) {
      result.as<T>()[place] += other[static_cast<size_t>(place)];
    }
  }
}

}  // namespace

Limit gather_loop(DType element, DType position) {
  return {"loop", [=](const std::vector<Array>& inputs, const Array& result, int threads) {
            visit_both(element, position,
                       [&]<class T, class I>(std::type_identity<T>, std::type_identity<I>) {
                         const T* const x = inputs[0].as<T>();
                         const I* const at = inputs[1].as<I>();
                         T* const to = result.as<T>();
                         const auto n = static_cast<int64_t>(result.size());
#pragma omp parallel for num_threads(threads) schedule(static)
                         for (int64_t row = 0; row < n; ++row) {
                           to[row] = x[at[row]];
                         }
                       });
          }};
}

Limit pick_loop() {
  return {"loop", [](const std::vector<Array>& inputs, const Array& result, int threads) {
            const auto* const x = inputs[0].as<float>();
            const auto* const at = inputs[1].as<int64_t>();
            auto* const to = result.as<float>();
            const int64_t width = inputs[0].extent(1);
            const auto n = static_cast<int64_t>(result.size());
#pragma omp parallel for num_threads(threads) schedule(static)
            for (int64_t row = 0; row < n; ++row) {
              to[row] = x[row * width + at[row]];
            }
          }};
}

Limit bag_loop() {
  return {"loop", [](const std::vector<Array>& inputs, const Array& result, int threads) {
            const auto* const x = inputs[0].as<float>();
            const auto* const at = inputs[1].as<int64_t>();
            const int64_t width = inputs[0].extent(1);
            const int64_t bag = inputs[1].extent(1);
            const int64_t n = inputs[1].extent(0);
#pragma omp parallel for num_threads(threads) schedule(static)
            for (int64_t row = 0; row < n; ++row) {
              float* const to = result.as<float>() + row * width;
              std::fill_n(to, width, 0.0F);
              for (int64_t k = 0; k < bag; ++k) {
                const float* const from = x + at[row * bag + k] * width;
                for (int64_t e = 0; e < width; ++e) {
                  to[e] += from[e];
                }
              }
            }
          }};
}

Limit scatter_loop(DType element, DType position) {
  return {"loop", [=](const std::vector<Array>& inputs, const Array& result, int threads) {
            visit_both(element, position,
                       [&]<class T, class I>(std::type_identity<T>, std::type_identity<I>) {
                         const T* const x = inputs[0].as<T>();
                         const I* const at = inputs[1].as<I>();
                         add_in_parts<T>(result, static_cast<int64_t>(inputs[1].size()), threads,
                                         [&](T* into, int64_t begin, int64_t end) {
                                           for (int64_t row = begin; row < end; ++row) {
                                             into[at[row]] += x[row];
                                           }
                                         });
                       });
          }};
}

Limit count_loop() {
  return {"loop", [](const std::vector<Array>& inputs, const Array& result, int threads) {
            const auto* const at = inputs[0].as<uint8_t>();
            add_in_parts<int64_t>(result, static_cast<int64_t>(inputs[0].size()), threads,
                                  [&](int64_t* into, int64_t begin, int64_t end) {
                                    for (int64_t row = begin; row < end; ++row) {
                                      ++into[at[row]];
                                    }
                                  });
          }};
}

Limit edge_loop() {
  return {"loop", [](const std::vector<Array>& inputs, const Array& result, int threads) {
            const auto* const x = inputs[0].as<double>();
            const auto* const from = inputs[1].as<int64_t>();
            const auto* const to = inputs[2].as<int64_t>();
            add_in_parts<double>(result, static_cast<int64_t>(inputs[1].size()), threads,
                                 [&](double* into, int64_t begin, int64_t end) {
                                   for (int64_t row = begin; row < end; ++row) {
                                     into[to[row]] += x[from[row]];
                                   }
                                 });
          }};
}

}  // namespace tessera::bench

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

// What someone who knows the sizes would write, for beside_loops.py: one thread, results in
// registers, taps unrolled.

namespace {

template <class T>
struct Lanes {
  typedef T V __attribute__((vector_size(64)));
  static constexpr int64_t kCount = 64 / sizeof(T);
  static V load(const T* from) {
    V vector;
    std::memcpy(&vector, from, sizeof(V));
    return vector;
  }
  static void store(T* to, V vector) { std::memcpy(to, &vector, sizeof(V)); }
};

/// out[batch, filter, z, y, x] = sum of data[batch, channel, z + p, y + q, kStep * x + r] *
/// weights[filter, channel, p, q, r]; data's extents are depth, height and width, the result's
/// those of all whole windows (with a step in y and x). kFilters at a time.
template <class T, int kFilters, int kPlanes, int kRows, int kColumns, int kStep = 1>
void convolve(const T* data, const T* weights, int64_t batches, int64_t channels, int64_t filters,
              int64_t depth, int64_t height, int64_t width, T* out) {
  using L = Lanes<T>;
  const int64_t planes = depth - kPlanes + 1;
  const int64_t rows = (height - kRows) / kStep + 1;
  const int64_t columns = (width - kColumns) / kStep + 1;
  const int64_t taps = channels * kPlanes * kRows * kColumns;
  std::vector<T> turned(filters * taps);
  for (int64_t f = 0; f < filters; ++f) {
    for (int64_t t = 0; t < taps; ++t) {
      turned[(f / kFilters * taps + t) * kFilters + f % kFilters] = weights[f * taps + t];
    }
  }
  std::vector<T> even;  // of every line, its columns of each phase side by side
  const int64_t line = (width + kStep - 1) / kStep;
  if (kStep > 1) {
    even.resize(batches * channels * depth * height * kStep * line);
    for (int64_t l = 0; l < batches * channels * depth * height; ++l) {
      for (int64_t x = 0; x < width; ++x) {
        even[(l * kStep + x % kStep) * line + x / kStep] = data[l * width + x];
      }
    }
    data = even.data();
  }
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t z = 0; z < planes; ++z) {
      for (int64_t y = 0; y < rows; ++y) {
        for (int64_t f = 0; f < filters; f += kFilters) {
          for (int64_t start = 0; start < columns; start += L::kCount) {
            const int64_t x = std::min(start, columns - L::kCount);
            typename L::V sums[kFilters] = {};
            const T* weight = turned.data() + f * taps;
            for (int64_t c = 0; c < channels; ++c) {
              for (int p = 0; p < kPlanes; ++p) {
                for (int q = 0; q < kRows; ++q) {
                  const T* const row =
                      data +
                      (((b * channels + c) * depth + z + p) * height + kStep * y + q) * line *
                          kStep +
                      x;
#pragma GCC unroll 8
                  for (int r = 0; r < kColumns; ++r, weight += kFilters) {
                    const typename L::V values = L::load(row + r % kStep * line + r / kStep);
#pragma GCC unroll 16
                    for (int o = 0; o < kFilters; ++o) {
                      sums[o] += values * weight[o];
                    }
                  }
                }
              }
            }
            for (int o = 0; o < kFilters; ++o) {
              L::store(out + (((b * filters + f + o) * planes + z) * rows + y) * columns + x,
                       sums[o]);
            }
          }
        }
      }
    }
  }
}

/// The same for each channel by itself, one filter of 3 x 3 each.
template <class T>
void convolve_channels(const T* data, const T* weights, int64_t batches, int64_t channels,
                       int64_t height, int64_t width, T* out) {
  for (int64_t image = 0; image < batches * channels; ++image) {
    convolve<T, 1, 1, 3, 3>(data + image * height * width, weights + image % channels * 9, 1, 1, 1,
                            1, height, width, out + image * (height - 2) * (width - 2));
  }
}

template <class T>
T larger(T a, T b) {
  return a > b ? a : b;
}

/// kSide x kSide windows, kStep from one to the next, by their largest element.
template <int kSide, int kStep>
void pool(const float* data, int64_t images, int64_t height, int64_t width, float* out) {
  const int64_t rows = (height - kSide) / kStep + 1;
  const int64_t columns = (width - kSide) / kStep + 1;
  std::vector<float> line(width);
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t y = 0; y < rows; ++y, out += columns) {
      const float* const from = data + (image * height + kStep * y) * width;
      for (int64_t x = 0; x < width; ++x) {
        float most = from[x];
        for (int q = 1; q < kSide; ++q) {
          most = larger(most, from[q * width + x]);
        }
        line[x] = most;
      }
      for (int64_t x = 0; x < columns; ++x) {
        float most = line[kStep * x];
        for (int r = 1; r < kSide; ++r) {
          most = larger(most, line[kStep * x + r]);
        }
        out[x] = most;
      }
    }
  }
}

}  // namespace

extern "C" {

void conv3d(const float* data, const float* weights, float* out) {
  convolve<float, 10, 3, 3, 3>(data, weights, 1, 3, 10, 18, 272, 482, out);
}
void conv2d(const float* data, const float* weights, float* out) {
  convolve<float, 8, 1, 3, 3>(data, weights, 32, 64, 64, 1, 58, 58, out);
}
void conv2d_step_2(const float* data, const float* weights, float* out) {
  convolve<float, 8, 1, 3, 3, 2>(data, weights, 32, 64, 64, 1, 57, 57, out);
}
void conv2d_f64(const double* data, const double* weights, double* out) {
  convolve<double, 8, 1, 3, 3>(data, weights, 8, 64, 64, 1, 58, 58, out);
}
void conv2d_i32(const int32_t* data, const int32_t* weights, int32_t* out) {
  convolve<int32_t, 8, 1, 3, 3>(data, weights, 8, 64, 64, 1, 58, 58, out);
}
void grouped(const float* data, const float* weights,
             float* out) {  // 4 groups of 16 channels, 16 filters each
  for (int64_t image = 0; image < 32 * 4; ++image) {
    convolve<float, 8, 1, 3, 3>(data + image * 16 * 58 * 58, weights + image % 4 * 16 * 16 * 9, 1,
                                16, 16, 1, 58, 58, out + image * 16 * 56 * 56);
  }
}
void depthwise(const float* data, const float* weights, float* out) {
  convolve_channels(data, weights, 32, 64, 58, 58, out);
}
void filter_f64(const double* data, const double* weights, double* out) {
  convolve<double, 1, 1, 3, 3>(data, weights, 1, 1, 1, 1, 4002, 4002, out);
}

void pool_2(const float* data, float* out) {
  pool<2, 2>(data, 32 * 64, 112, 112, out);
}
void pool_3(const float* data, float* out) {
  pool<3, 2>(data, 32 * 64, 113, 113, out);
}

void box_3(const double* data, double* out) {
  std::vector<double> line(4002);
  for (int64_t y = 0; y < 4000; ++y, data += 4002, out += 4000) {
    for (int64_t x = 0; x < 4002; ++x) {
      line[x] = data[x] + data[4002 + x] + data[2 * 4002 + x];
    }
    for (int64_t x = 0; x < 4000; ++x) {
      out[x] = (line[x] + line[x + 1] + line[x + 2]) / 9;
    }
  }
}

/// The window moves on: what comes in is added, what leaves is taken away. Eight parts side by
/// side.
void moving_sum(const double* data, int64_t num_sums, int64_t taps, double* out) {
  constexpr int64_t kParts = 8;
  const int64_t part = num_sums / kParts;
  double sums[kParts] = {};
  for (int64_t p = 0; p < kParts; ++p) {
    for (int64_t t = 0; t < taps; ++t) {
      sums[p] += data[p * part + t];
    }
  }
  for (int64_t i = 0; i < part; ++i) {
    for (int64_t p = 0; p < kParts; ++p) {
      out[p * part + i] = sums[p];
      sums[p] += data[p * part + i + taps] - data[p * part + i];
    }
  }
}

/// Every sum by itself.
void short_moving_sum(const double* data, int64_t num_sums, double* out) {
  for (int64_t i = 0; i < num_sums; ++i) {
    out[i] = data[i] + data[i + 1] + data[i + 2] + data[i + 3] + data[i + 4];
  }
}

void stencil_1d(const double* u, double* out) {
  for (int64_t i = 0; i < 16'000'000; ++i) {
    out[i] = u[i] - 2 * u[i + 1] + u[i + 2];
  }
}
void stencil_2d(const double* u, double* out) {
  for (int64_t i = 1; i < 4001; ++i) {
    for (int64_t j = 1; j < 4001; ++j) {
      const double* const at = u + i * 4002 + j;
      out[(i - 1) * 4000 + j - 1] = at[-4002] + at[4002] + at[-1] + at[1] - 4 * at[0];
    }
  }
}
void stencil_3d(const float* u, float* out) {
  constexpr int64_t kLine = 258;
  constexpr int64_t kPlane = kLine * kLine;
  for (int64_t i = 1; i < 257; ++i) {
    for (int64_t j = 1; j < 257; ++j) {
      for (int64_t k = 1; k < 257; ++k) {
        const float* const at = u + i * kPlane + j * kLine + k;
        *out++ = at[-kPlane] + at[kPlane] + at[-kLine] + at[kLine] + at[-1] + at[1] - 6 * at[0];
      }
    }
  }
}
}

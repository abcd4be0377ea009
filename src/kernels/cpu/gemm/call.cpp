#include "kernels/cpu/gemm/call.h"

#include <algorithm>
#include <complex>

#include <cblas.h>

#include "types/native.h"

namespace tessera::kernels {

namespace {

template <class T>
struct Blas;

template <>
struct Blas<float> {
  static constexpr auto kGemm = &cblas_sgemm;
  static constexpr auto kGemv = &cblas_sgemv;
  static float dot(int count, const float* x, int x_step, const float* y, int y_step) {
    return cblas_sdot(count, x, x_step, y, y_step);
  }
  static float scalar(float value) { return value; }
};
template <>
struct Blas<double> {
  static constexpr auto kGemm = &cblas_dgemm;
  static constexpr auto kGemv = &cblas_dgemv;
  static double dot(int count, const double* x, int x_step, const double* y, int y_step) {
    return cblas_ddot(count, x, x_step, y, y_step);
  }
  static double scalar(double value) { return value; }
};
template <>
struct Blas<std::complex<float>> {
  using T = std::complex<float>;
  static constexpr auto kGemm = &cblas_cgemm;
  static constexpr auto kGemv = &cblas_cgemv;
  static T dot(int count, const T* x, int x_step, const T* y, int y_step) {
    T result;
    cblas_cdotu_sub(count, x, x_step, y, y_step, &result);
    return result;
  }
  static const T* scalar(const T& value) { return &value; }
};
template <>
struct Blas<std::complex<double>> {
  using T = std::complex<double>;
  static constexpr auto kGemm = &cblas_zgemm;
  static constexpr auto kGemv = &cblas_zgemv;
  static T dot(int count, const T* x, int x_step, const T* y, int y_step) {
    T result;
    cblas_zdotu_sub(count, x, x_step, y, y_step, &result);
    return result;
  }
  static const T* scalar(const T& value) { return &value; }
};

/// The layout of a matrix for the library in row-major order: transposed or not, and its leading
/// dimension.
struct Layout {
  CBLAS_TRANSPOSE transpose;
  int leading;
};

Layout layout_of(int64_t rows, int64_t row_step, int64_t columns, int64_t column_step) {
  const bool by_rows = (columns == 1 || column_step == 1) && (rows == 1 || row_step >= columns);
  if (by_rows) {
    return {CblasNoTrans, static_cast<int>(rows == 1 ? columns : row_step)};
  }
  return {CblasTrans, static_cast<int>(columns == 1 ? rows : column_step)};
}

/// Multiplies by a plain loop, for products so small that entering the library would dominate.
template <class T>
void multiply_small(const GemmLoops& loops, const T* a, const T* b, T* c, bool accumulate) {
  for (int64_t i = 0; i < loops.m.length; ++i) {
    for (int64_t j = 0; j < loops.n.length; ++j) {
      T& result = c[i * loops.m.c + j * loops.n.c];
      T sum = accumulate ? result : T(0);
      for (int64_t k = 0; k < loops.k.length; ++k) {
        const T& x = a[i * loops.m.a + k * loops.k.a];
        const T& y = b[j * loops.n.b + k * loops.k.b];
        if constexpr (std::is_floating_point_v<T>) {
          sum += x * y;
        } else {  // without the library's care for infinities, as BLAS
          sum += T(x.real() * y.real() - x.imag() * y.imag(),
                   x.real() * y.imag() + x.imag() * y.real());
        }
      }
      result = sum;
    }
  }
}

/// Multiplies a matrix and a vector, or two vectors: one of m and n is 1.
template <class T>
void multiply_vector(const GemmLoops& loops, const T* a, const T* b, T* c, bool accumulate) {
  const auto count = static_cast<int>(loops.k.length);
  const int step_a = std::max(1, static_cast<int>(loops.k.a));
  const int step_b = std::max(1, static_cast<int>(loops.k.b));
  if (loops.m.length == 1 && loops.n.length == 1) {
    const T product = Blas<T>::dot(count, a, step_a, b, step_b);
    *c = accumulate ? *c + product : product;
    return;
  }
  const T beta = accumulate ? T(1) : T(0);
  const bool is_row = loops.m.length == 1;
  const GemmDim& kept = is_row ? loops.n : loops.m;
  const T* const matrix = is_row ? b : a;
  const Layout layout = layout_of(kept.length, is_row ? kept.b : kept.a, loops.k.length,
                                  is_row ? loops.k.b : loops.k.a);
  const bool lies_transposed = layout.transpose == CblasTrans;
  const auto kept_length = static_cast<int>(kept.length);
  Blas<T>::kGemv(CblasRowMajor, layout.transpose, lies_transposed ? count : kept_length,
                 lies_transposed ? kept_length : count, Blas<T>::scalar(T(1)), matrix,
                 layout.leading, is_row ? a : b, is_row ? step_a : step_b, Blas<T>::scalar(beta), c,
                 static_cast<int>(kept.c));
}

template <class T>
void multiply_matrices(const GemmLoops& loops, const T* a, const T* b, T* c, bool accumulate) {
  const T beta = accumulate ? T(1) : T(0);
  const auto m = static_cast<int>(loops.m.length);
  const auto n = static_cast<int>(loops.n.length);
  const auto k = static_cast<int>(loops.k.length);
  const Layout in_a = layout_of(loops.m.length, loops.m.a, loops.k.length, loops.k.a);
  const Layout in_b = layout_of(loops.k.length, loops.k.b, loops.n.length, loops.n.b);
  const Layout in_c = layout_of(loops.m.length, loops.m.c, loops.n.length, loops.n.c);
  if (in_c.transpose == CblasNoTrans) {
    Blas<T>::kGemm(CblasRowMajor, in_a.transpose, in_b.transpose, m, n, k, Blas<T>::scalar(T(1)), a,
                   in_a.leading, b, in_b.leading, Blas<T>::scalar(beta), c, in_c.leading);
    return;
  }
  // The transposed product: a matrix that is transposed in row-major order is plain in column-major
  // order.
  const auto turned = [](CBLAS_TRANSPOSE transpose) {
    return transpose == CblasNoTrans ? CblasTrans : CblasNoTrans;
  };
  Blas<T>::kGemm(CblasColMajor, turned(in_a.transpose), turned(in_b.transpose), m, n, k,
                 Blas<T>::scalar(T(1)), a, in_a.leading, b, in_b.leading, Blas<T>::scalar(beta), c,
                 in_c.leading);
}

template <class T>
void multiply(const GemmLoops& loops, const T* a, const T* b, T* c, bool accumulate) {
  if (loops.m.length * loops.n.length * loops.k.length <= kSmallProducts) {
    multiply_small(loops, a, b, c, accumulate);
  } else if (loops.m.length == 1 || loops.n.length == 1) {
    multiply_vector(loops, a, b, c, accumulate);
  } else {
    multiply_matrices(loops, a, b, c, accumulate);
  }
}

template <class T>
void run_loops(const GemmLoops& loops, const T* a, const T* b, T* c, bool accumulate) {
  std::array<int64_t, kMaxLabels> position;
  std::fill_n(position.begin(), loops.num_loops, 0);
  while (true) {
    bool adds = accumulate;
    for (int number = loops.num_loops - 1; number >= 0; --number) {
      adds = adds || (loops.loop[static_cast<size_t>(number)].kind == GemmDim::Kind::k &&
                      position[static_cast<size_t>(number)] > 0);
    }
    multiply(loops, a, b, c, adds);
    int number = loops.num_loops - 1;
    for (; number >= 0; --number) {
      const GemmDim& dim = loops.loop[static_cast<size_t>(number)];
      int64_t& at = position[static_cast<size_t>(number)];
      const int64_t moved = ++at < dim.length ? 1 : 1 - dim.length;
      a += moved * dim.a;
      b += moved * dim.b;
      c += moved * dim.c;
      if (at < dim.length) {
        break;
      }
      at = 0;
    }
    if (number < 0) {
      return;
    }
  }
}

}  // namespace

void run_gemm(const GemmLoops& loops, DType type, const std::byte* a, const std::byte* b,
              std::byte* c, bool accumulate) noexcept {
  const auto run_as = [&]<class T>(std::type_identity<T>) {
    run_loops(loops, reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b),
              reinterpret_cast<T*>(c), accumulate);
  };
  switch (type) {
    case DType::f64:
      return run_as(std::type_identity<double>{});
    case DType::c64:
      return run_as(std::type_identity<std::complex<float>>{});
    case DType::c128:
      return run_as(std::type_identity<std::complex<double>>{});
    default:
      return run_as(std::type_identity<float>{});
  }
}

}  // namespace tessera::kernels

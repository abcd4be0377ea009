#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "kernels/kernel.h"
#include "types/dtype.h"

// LAPACK in OpenBLAS, by its Fortran names: all arguments are addresses, and the lengths of texts
// come last.
// NOLINTBEGIN(readability-identifier-naming): the names are those of the library
extern "C" {
void sgetrf_(const int*, const int*, float*, const int*, int*, int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void cgetrf_(const int*, const int*, std::complex<float>*, const int*, int*, int*);
void zgetrf_(const int*, const int*, std::complex<double>*, const int*, int*, int*);
void sgetrs_(const char*, const int*, const int*, const float*, const int*, const int*, float*,
             const int*, int*, size_t);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*,
             const int*, int*, size_t);
void cgetrs_(const char*, const int*, const int*, const std::complex<float>*, const int*,
             const int*, std::complex<float>*, const int*, int*, size_t);
void zgetrs_(const char*, const int*, const int*, const std::complex<double>*, const int*,
             const int*, std::complex<double>*, const int*, int*, size_t);
void sgetri_(const int*, float*, const int*, const int*, float*, const int*, int*);
void dgetri_(const int*, double*, const int*, const int*, double*, const int*, int*);
void cgetri_(const int*, std::complex<float>*, const int*, const int*, std::complex<float>*,
             const int*, int*);
void zgetri_(const int*, std::complex<double>*, const int*, const int*, std::complex<double>*,
             const int*, int*);
void spotrf_(const char*, const int*, float*, const int*, int*, size_t);
void dpotrf_(const char*, const int*, double*, const int*, int*, size_t);
void cpotrf_(const char*, const int*, std::complex<float>*, const int*, int*, size_t);
void zpotrf_(const char*, const int*, std::complex<double>*, const int*, int*, size_t);
}
// NOLINTEND(readability-identifier-naming)

namespace tessera::kernels {

/// The routines of one dtype. LAPACK's matrices are column-major: it takes a row-major matrix for
/// the transpose.
template <class T>
struct Lapack;
template <>
struct Lapack<float> {
  static constexpr auto kFactor = &sgetrf_;
  static constexpr auto kSolve = &sgetrs_;
  static constexpr auto kInvert = &sgetri_;
  static constexpr auto kCholesky = &spotrf_;
};
template <>
struct Lapack<double> {
  static constexpr auto kFactor = &dgetrf_;
  static constexpr auto kSolve = &dgetrs_;
  static constexpr auto kInvert = &dgetri_;
  static constexpr auto kCholesky = &dpotrf_;
};
template <>
struct Lapack<std::complex<float>> {
  static constexpr auto kFactor = &cgetrf_;
  static constexpr auto kSolve = &cgetrs_;
  static constexpr auto kInvert = &cgetri_;
  static constexpr auto kCholesky = &cpotrf_;
};
template <>
struct Lapack<std::complex<double>> {
  static constexpr auto kFactor = &zgetrf_;
  static constexpr auto kSolve = &zgetrs_;
  static constexpr auto kInvert = &zgetri_;
  static constexpr auto kCholesky = &zpotrf_;
};

/// Calls visit(std::type_identity<T>) for the type of a matrix.
template <class Visit>
Status visit_matrix_type(DType dtype, Visit visit) noexcept {
  switch (dtype) {
    case DType::f32:
      return visit(std::type_identity<float>{});
    case DType::c64:
      return visit(std::type_identity<std::complex<float>>{});
    case DType::c128:
      return visit(std::type_identity<std::complex<double>>{});
    default:
      return visit(std::type_identity<double>{});
  }
}

/// Factors a square matrix in place into a lower and an upper triangle with the exchanged rows.
/// Returns false if it is singular.
template <class T>
bool factor(T* matrix, int32_t extent, int32_t* pivots) noexcept {
  int32_t info = 0;
  Lapack<T>::kFactor(&extent, &extent, matrix, &extent, pivots, &info);
  return info == 0;
}

}  // namespace tessera::kernels

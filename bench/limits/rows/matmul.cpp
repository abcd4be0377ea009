#include <fmt/format.h>

#include "loops/products.h"
#include "row.h"

namespace tessera::bench {

namespace {

Row product(DType dtype, int64_t m, int64_t k, int64_t n) {
  const bool is_complex = dtype == DType::c64 || dtype == DType::c128;
  Row row{.name = fmt::format("matmul {} {}x{}x{}", name_of(dtype), m, k, n),
          .program = "input A[i,j], B[j,k]\nR[i,k] = sum[j] A[i,j] * B[j,k]",
          .inputs = {{"A", {dtype, {m, k}}}, {"B", {dtype, {k, n}}}},
          .work = {(is_complex ? 8.0 : 2.0) * static_cast<double>(m * k) * static_cast<double>(n)},
          .bar = 1,
          .limits = {openblas_product()},
          .numpy = "A @ B",
          .torch = "A @ B"};
  if (dtype == DType::f32) {
    row.limits.push_back(onednn_product());
  }
  return row;
}

/// Of the lower triangle of a square matrix, by a condition.
Row causal(int64_t side) {
  return {.name = fmt::format("causal product f32 {0}x{0}x{0}", side),
          .program =
              "input A[i,j], B[j,k]\n"
              "R[i,k] = sum[j] where(index(j) <= index(i), A[i,j] * B[j,k], 0)",
          .inputs = {{"A", {DType::f32, {side, side}}}, {"B", {DType::f32, {side, side}}}},
          .work = {static_cast<double>(side * side) * static_cast<double>(side)},
          .bar = 1.3,
          .limits = {triangular_product()},
          .numpy = "np.tril(A) @ B",
          .torch = "torch.tril(A) @ B"};
}

/// Beside the same of f32. Whole numbers up to 2 are exact in bf16.
Row with_precision(Row row, kernels::Precision precision) {
  row.name += fmt::format(", {}", kernels::name_of(precision));
  row.precision = precision;
  row.bar = 1 / 1.3;
  row.numpy.clear();
  row.torch.clear();
  return row;
}

}  // namespace

std::vector<Row> matmul_rows() {
  using kernels::Precision;
  const Row square = product(DType::f32, 4000, 4000, 4000);
  return {square,
          product(DType::f32, 1000, 64000, 1000),
          product(DType::f32, 8000, 1000, 8000),
          product(DType::f32, 700, 40000, 900),
          product(DType::f64, 3000, 3000, 3000),
          product(DType::c64, 2000, 2000, 2000),
          product(DType::c128, 1500, 1500, 1500),
          causal(1000),
          causal(3000),
          with_precision(square, Precision::bf16x6),
          with_precision(square, Precision::bf16x3),
          with_precision(square, Precision::bf16)};
}

}  // namespace tessera::bench

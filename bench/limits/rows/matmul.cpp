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

}  // namespace

std::vector<Row> matmul_rows() {
  return {product(DType::f32, 4000, 4000, 4000), product(DType::f32, 1000, 64000, 1000),
          product(DType::f32, 8000, 1000, 8000), product(DType::f32, 700, 40000, 900),
          product(DType::f64, 3000, 3000, 3000), product(DType::c64, 2000, 2000, 2000),
          product(DType::c128, 1500, 1500, 1500)};
}

}  // namespace tessera::bench

#include "row.h"

namespace tessera::bench {

namespace {

Row row_of(const std::string& name, const std::string& program, std::vector<Input> inputs,
           double flops) {
  return {.name = name + ", reproducible",
          .program = program,
          .inputs = std::move(inputs),
          .work = {flops},
          .bar = 1.3,
          .tolerance = 1e-4,
          .reproducible = true};
}

}  // namespace

std::vector<Row> reproducible_rows() {
  const auto matrix = [](const char* name, int64_t rows, int64_t columns) {
    return Input{name, {DType::f32, {rows, columns}}};
  };
  return {row_of("matmul 2000", "input A[i,j], B[j,k]\nR[i,k] = sum[j] A[i,j] * B[j,k]",
                 {matrix("A", 2000, 2000), matrix("B", 2000, 2000)}, 2.0 * 2000 * 2000 * 2000),
          row_of("products of 64 a side",
                 "input A[n,i,j], B[n,j,k]\nR[n,i,k] = sum[j] A[n,i,j] * B[n,j,k]",
                 {{"A", {DType::f32, {2000, 64, 64}}}, {"B", {DType::f32, {2000, 64, 64}}}},
                 2.0 * 2000 * 64 * 64 * 64),
          row_of("sum 8192x8192", "input X[i,j]\nR = sum[i,j] X[i,j]", {matrix("X", 8192, 8192)},
                 8192.0 * 8192),
          row_of("mean of rows 8192x8192", "input X[i,j]\nR[i] = mean[j] X[i,j]",
                 {matrix("X", 8192, 8192)}, 8192.0 * 8192),
          row_of("softmax of rows 8192x8192", "input X[i,j]\nR[i,j] = softmax[j](X[i,j])",
                 {matrix("X", 8192, 8192)}, 4 * 8192.0 * 8192)};
}

}  // namespace tessera::bench

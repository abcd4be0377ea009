#include "loops/gathers.h"

#include <fmt/format.h>

#include "row.h"

namespace tessera::bench {

namespace {

constexpr int64_t kMillion = 1'000'000;
constexpr double kBar = 1.3;

/// R[n] = x[I[n]] of single numbers.
Row gather(DType element, DType position, int64_t table, int64_t n) {
  const ArrayType x{element, {table}};
  const ArrayType at{position, {n}};
  return {.name = fmt::format("x[I[n]] {} by {}", to_string(x), to_string(at)),
          .program = "input x[m], I[n]\nR[n] = x[I[n]]",
          .inputs = {{"x", x, 0, 2}, {"I", at, 0, table - 1}},
          .work = {static_cast<double>(n * (2 * size_of(element) + size_of(position))), true},
          .bar = kBar,
          .limits = {gather_loop(element, position)},
          .numpy = "x[I]"};
}

/// A look-up table of bytes over an image.
Row look_up() {
  const ArrayType image{DType::u8, {3000, 3000}};
  return {.name = "lut[I[i,j]] of u8",
          .program = "input x[m], I[i,j]\nR[i,j] = x[I[i,j]]",
          .inputs = {{"x", {DType::u8, {256}}, 0, 2}, {"I", image, 0, 255}},
          .work = {2.0 * static_cast<double>(size_in_bytes(image)), true},
          .bar = kBar,
          .limits = {gather_loop(DType::u8, DType::u8)},
          .numpy = "x[I]"};
}

Row pick() {
  const int64_t rows = 20'000;
  return {.name = "x[n,I[n]] of f32[20000,1000]",
          .program = "input x[n,c], I[n]\nR[n] = x[n, I[n]]",
          .inputs = {{"x", {DType::f32, {rows, 1000}}}, {"I", {DType::i64, {rows}}, 0, 999}},
          .work = {16.0 * static_cast<double>(rows), true},
          .bar = kBar,
          .limits = {pick_loop()},
          .numpy = "x[np.arange(20000), I]"};
}

Row bag() {
  const int64_t bags = 50'000;
  return {.name = "sum[k] x[I[n,k],e] 50000 x 20 of 64",
          .program = "input x[m,e], I[n,k]\nR[n,e] = sum[k] x[I[n,k],e]",
          .inputs = {{"x", {DType::f32, {20'000, 64}}}, {"I", {DType::i64, {bags, 20}}, 0, 19'999}},
          .work = {4.0 * 64 * 21 * static_cast<double>(bags), true},
          .bar = kBar,
          .limits = {bag_loop()},
          .numpy = "x[I].sum(1)"};
}

/// R[v = I[n]] = sum[n] x[n] of single numbers.
Row scatter(DType element, DType position, int64_t groups, int64_t n) {
  const ArrayType x{element, {n}};
  return {
      .name = fmt::format("R[v=I[n]] = sum[n] x[n], {} by {} into {}", to_string(x),
                          name_of(position), groups),
      .program = fmt::format("input x[n], I[n]\nlabel v = {}\nR[v = I[n]] = sum[n] x[n]", groups),
      .inputs = {{"x", x}, {"I", {position, {n}}, 0, groups - 1}},
      .work = {static_cast<double>(n * (size_of(element) + size_of(position))), true},
      .bar = kBar,
      .limits = {scatter_loop(element, position)},
      .numpy = fmt::format("np.bincount(I, x, {})", groups)};
}

/// A count of each byte of an image.
Row count() {
  const ArrayType image{DType::u8, {3000, 3000}};
  return {.name = "R[v=I[i,j]] = sum[i,j] 1 of u8",
          .program = "input I[i,j]\nlabel v = 256\nR[v = I[i,j]] = sum[i,j] 1",
          .inputs = {{"I", image, 0, 255}},
          .work = {static_cast<double>(size_in_bytes(image)), true},
          .bar = kBar,
          .limits = {count_loop()},
          .numpy = "np.bincount(I.ravel(), minlength=256)"};
}

/// A step over the edges of a graph.
Row edges() {
  const ArrayType at{DType::i64, {kMillion}};
  return {.name = "R[v=J[e]] = sum[e] x[I[e]], 1e6 edges",
          .program = "input x[v], I[e], J[e]\nR[v = J[e]] = sum[e] x[I[e]]",
          .inputs = {{"x", {DType::f64, {100'000}}}, {"I", at, 0, 99'999}, {"J", at, 0, 99'999}},
          .work = {24.0 * static_cast<double>(kMillion), true},
          .bar = kBar,
          .limits = {edge_loop()},
          .numpy = "np.bincount(J, x[I], 100000)"};
}

}  // namespace

std::vector<Row> gather_rows() {
  return {gather(DType::f64, DType::i64, kMillion, 4 * kMillion),
          gather(DType::f32, DType::i32, kMillion, 4 * kMillion),
          gather(DType::i64, DType::i32, 10'000, 4 * kMillion),
          gather(DType::u8, DType::i64, kMillion, 4 * kMillion),
          look_up(),
          pick(),
          bag(),
          scatter(DType::f64, DType::i64, 100'000, 4 * kMillion),
          scatter(DType::f32, DType::i32, 1000, 4 * kMillion),
          count(),
          edges()};
}

}  // namespace tessera::bench

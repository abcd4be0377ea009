#include "loops/distances.h"

#include <fmt/format.h>

#include "row.h"

namespace tessera::bench {

namespace {

constexpr int64_t kSide = 1000;

/// `expression` of X[i,j] and Y[j,k], reduced over j.
Row row_of(const std::string& name, DType dtype, const std::string& aggregate,
           const std::string& expression, double operations, Limit limit) {
  return {.name = fmt::format("{} {}", name, name_of(dtype)),
          .program = fmt::format("input X[i,j], Y[j,k]\nR[i,k] = {}[j] {}", aggregate, expression),
          .inputs = {{"X", {dtype, {kSide, kSide}}}, {"Y", {dtype, {kSide, kSide}}}},
          .work = {operations * kSide * kSide * kSide},
          .bar = 1.3,
          .limits = {std::move(limit)}};
}

Row weighted(DType dtype) {
  Row row = row_of("sum of w (x-y)^2", dtype, "sum", "w[j] * (X[i,j] - Y[j,k])^2", 4,
                   weighted_loop(dtype));
  row.program = "input X[i,j], Y[j,k], w[j]\nR[i,k] = sum[j] w[j] * (X[i,j] - Y[j,k])^2";
  row.inputs.push_back({"w", {dtype, {kSide}}});
  return row;
}

}  // namespace

std::vector<Row> distance_rows() {
  std::vector<Row> rows;
  for (const DType dtype : {DType::f32, DType::f64}) {
    rows.push_back(row_of("max of abs(x-y)", dtype, "max", "abs(X[i,j] - Y[j,k])", 3,
                          distance_loop(Distance::largest_absolute, dtype)));
    rows.back().torch = "torch.cdist(X, Y.T.contiguous(), p=float('inf'))";
    rows.push_back(row_of("sum of (x-y)^2", dtype, "sum", "(X[i,j] - Y[j,k])^2", 3,
                          distance_loop(Distance::sum_of_squares, dtype)));
    rows.back().torch =
        "torch.cdist(X, Y.T.contiguous(), compute_mode='donot_use_mm_for_euclid_dist')";
    rows.push_back(row_of("min of x+y", dtype, "min", "(X[i,j] + Y[j,k])", 2,
                          distance_loop(Distance::least_sum, dtype)));
    rows.back().numpy = "np.stack([(row[:, None] + Y).min(0) for row in X])";
    rows.push_back(row_of("max of x+y", dtype, "max", "(X[i,j] + Y[j,k])", 2,
                          distance_loop(Distance::largest_sum, dtype)));
    rows.push_back(weighted(dtype));
  }
  return rows;
}

}  // namespace tessera::bench

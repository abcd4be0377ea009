#include "loops/elementwise.h"

#include "row.h"

namespace tessera::bench {

namespace {

constexpr int64_t kSide = 8192;
constexpr int64_t kLength = 64 << 20;

Row of_matrix(const std::string& name, const std::string& expression, Limit limit,
              const std::string& numpy, const std::string& torch) {
  return {.name = name + " 8192x8192",
          .program = "input X[i,j]\nR[i,j] = " + expression,
          .inputs = {{"X", {DType::f32, {kSide, kSide}}}},
          .work = {8.0 * kSide * kSide, true},
          .bar = 1.2,
          .limits = {std::move(limit)},
          .tolerance = 1e-5,
          .numpy = numpy,
          .torch = torch};
}

}  // namespace

std::vector<Row> elementwise_rows() {
  std::vector<Row> rows;
  rows.push_back({.name = "exp(x-c)*y+z 64M",
                  .program = "input x[i], y[i], z[i]\nR[i] = exp(x[i] - 0.5) * y[i] + z[i]",
                  .inputs = {{"x", {DType::f32, {kLength}}},
                             {"y", {DType::f32, {kLength}}},
                             {"z", {DType::f32, {kLength}}}},
                  .work = {16.0 * kLength, true},
                  .bar = 1.2,
                  .limits = {exponential_loop()},
                  .tolerance = 1e-6,
                  .numpy = "np.exp(x - np.float32(0.5)) * y + z",
                  .torch = "torch.exp(x - 0.5) * y + z"});
  rows.push_back({.name = "x^2.5 64M",
                  .program = "input x[i]\nR[i] = x[i]^2.5",
                  .inputs = {{"x", {DType::f32, {kLength}}, 0, 9}},
                  .work = {8.0 * kLength, true},
                  .bar = 1.2,
                  .limits = {power_loop()},
                  .tolerance = 1e-6,
                  .numpy = "x ** np.float32(2.5)",
                  .torch = "x ** 2.5"});
  rows.push_back(
      of_matrix("softmax of rows", "softmax[j](X[i,j])", softmax_rows_loop(),
                "(lambda e: e / e.sum(1, keepdims=True))(np.exp(X - X.max(1, keepdims=True)))",
                "torch.softmax(X, 1)"));
  rows.push_back(
      of_matrix("softmax of columns", "softmax[i](X[i,j])", softmax_columns_loop(),
                "(lambda e: e / e.sum(0, keepdims=True))(np.exp(X - X.max(0, keepdims=True)))",
                "torch.softmax(X, 0)"));
  rows.push_back(of_matrix("layer_norm", "layer_norm[j](X[i,j])", layer_norm_loop(),
                           "(X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + "
                           "np.float32(1e-5))",
                           "torch.nn.functional.layer_norm(X, (8192,))"));
  rows.push_back(of_matrix("rms_norm", "rms_norm[j](X[i,j])", rms_norm_loop(),
                           "X / np.sqrt(np.square(X).mean(1, keepdims=True) + np.float32(1e-5))",
                           "X * torch.rsqrt(X.square().mean(1, keepdim=True) + 1e-5)"));
  return rows;
}

}  // namespace tessera::bench

#include "loops/expressions.h"

#include "row.h"

namespace tessera::bench {

namespace {

constexpr int64_t kLength = 16 << 20;
constexpr int64_t kSide = 4096;

/// What loops/expressions.cpp computes, as macros.
constexpr const char* kFunctions = R"(
def chain_of_4(x, y) = (x + y) * x - y * 0.5
def second(x, y, a) = (a * y + x) * (a - y) + 2
def chain_of_8(x, y) = second(x, y, chain_of_4(x, y))
def third(x, y, a, b, c) = (c + a) * (y - 1) + b * c
def next(x, y, a, b) = third(x, y, a, b, (b - x) * (a + y) - b * 0.25)
def chain_of_16(x, y) = next(x, y, chain_of_4(x, y), chain_of_8(x, y))
def horner(x) = ((((((x * 0.5 + 3) * x - 2) * x + 0.25) * x - 5) * x + 1) * x - 7)
def polynomial(x, y) = horner(x * y)
def choice(x, y) = where(x > y, x * y, x - y) + where(x < 0, y * 2, x)
def bounds(x, y) = clip(x * y, -1, 1) + relu(x - y) * 2
def integers(x, y) = (x * 3 + y) * (x - y) + bitwise_and(x, y) * 5 - bitwise_or(x, y)
def mixed(x, y) = (x * y + x) / (y * y + 1) - x * 0.5
)";

Row row_of(const std::string& name, const std::string& statement, DType dtype, int64_t length,
           Limit limit) {
  return {.name = name,
          .program = "input x[i], y[" + std::string(length == kLength ? "i" : "j") + "]" +
                     kFunctions + statement,
          .inputs = {{"x", {dtype, {length}}}, {"y", {dtype, {length}}}},
          .work = {},
          .bar = 1.3,
          .limits = {std::move(limit)},
          .tolerance = 1e-5};
}

/// Of two vectors that no cache holds.
Row of_vectors(const std::string& function, DType dtype, Limit limit) {
  Row row = row_of(function + " of " + std::string(name_of(dtype)) + " 16M",
                   "R[i] = " + function + "(x[i], y[i])", dtype, kLength, std::move(limit));
  row.work = {static_cast<double>(3 * kLength * size_of(dtype)), true};
  return row;
}

/// Of every pair of elements, merged over the second, so that all stays in the cache.
Row of_pairs(const std::string& aggregate, const std::string& function, DType dtype, double steps,
             Limit limit) {
  Row row = row_of(aggregate + "[j] " + function + " of " + std::string(name_of(dtype)) + " 4096",
                   "R[i] = " + aggregate + "[j](" + function + "(x[i], y[j]))", dtype, kSide,
                   std::move(limit));
  row.work = {(steps + 1) * kSide * kSide, false};
  return row;
}

}  // namespace

std::vector<Row> expression_rows() {
  const ExpressionLoops loops = expression_loops();
  Row outer = row_of("mixed[i,j] of f32 4096x4096", "R[i,j] = mixed(x[i], y[j])", DType::f32, kSide,
                     loops.outer);
  outer.work = {4.0 * kSide * kSide, true};
  return {of_vectors("chain_of_4", DType::f32, loops.chain_of_4),
          of_vectors("chain_of_8", DType::f32, loops.chain_of_8),
          of_vectors("chain_of_16", DType::f32, loops.chain_of_16),
          of_vectors("chain_of_16", DType::f64, loops.chain_of_16_f64),
          of_vectors("polynomial", DType::f32, loops.polynomial),
          of_vectors("choice", DType::f32, loops.choice),
          of_vectors("bounds", DType::f32, loops.bounds),
          of_vectors("integers", DType::i32, loops.integers),
          std::move(outer),
          of_pairs("sum", "chain_of_16", DType::f32, 16, loops.sum_of_chain),
          of_pairs("sum", "chain_of_16", DType::f64, 16, loops.sum_of_chain_f64),
          of_pairs("sum", "polynomial", DType::f32, 13, loops.sum_of_polynomial),
          of_pairs("sum", "choice", DType::f32, 7, loops.sum_of_choice),
          of_pairs("max", "bounds", DType::f32, 7, loops.max_of_bounds),
          of_pairs("sum", "integers", DType::i32, 9, loops.sum_of_integers)};
}

}  // namespace tessera::bench

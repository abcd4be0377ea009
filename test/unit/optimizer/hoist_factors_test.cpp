#include <gtest/gtest.h>

#include "optimizer/einsum/driver.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer {
namespace {

const std::string kRule = "hoist_factors";

/// Inputs A, B and W, and a statement over all three.
std::string with_inputs(const std::string& a, const std::string& b, const std::string& statement,
                        const std::string& out) {
  return "%0 = input A : " + a + "[i=8,k=9]\n%1 = input B : " + b +
         "[k=9,j=10]\n%2 = input W : f32[k=9]\n%3 = einsum(%0, %1, %2) {out[i,j] = " + statement +
         "} : " + out + "[i=8,j=10]\noutput(%3) out\n";
}

TEST(HoistFactors, LeavesAProductOfStoredTensors) {
  EXPECT_EQ(after(kRule, with_inputs("f32", "f32", "sum[k] sin(A[i,k]) * (B[k,j] - W[k])", "f32")),
            "out.1[i,k] = sin(A[i,k]) : f32[i=8,k=9]\n"
            "out.2[k,j] = B[k,j] - W[k] : f32[k=9,j=10]\n"
            "out[i,j] = sum[k] out.1[i,k] * out.2[k,j] : f32[i=8,j=10]\n");
}

TEST(HoistFactors, KeepsTheOrderOfMultiplications) {
  EXPECT_EQ(after(kRule, with_inputs("f32", "f32", "sum[k] A[i,k] * (B[k,j] * sin(W[k]))", "f32")),
            "out.1[k] = sin(W[k]) : f32[k=9]\n"
            "out[i,j] = sum[k] A[i,k] * (B[k,j] * out.1[k]) : f32[i=8,j=10]\n");
}

TEST(HoistFactors, ReadsPositionsAndDiagonals) {
  EXPECT_EQ(after(kRule,
                  "%0 = input A : f32[k=9,l=9]\n%1 = input B : f32[k=9,j=10]\n"
                  "%2 = einsum(%0, %1) {[i=4,j=10,k=9] out[i,j] = sum[k] where(index(k) <= "
                  "index(i), A[k,k], "
                  "0.0:f32) * B[k,j]} : f32[i=4,j=10]\noutput(%2) out\n"),
            "[k=9,i=4] out.1[k,i] = where(index(k) <= index(i), A[k,k], 0.0) : f32[k=9,i=4]\n"
            "out[i,j] = sum[k] out.1[k,i] * B[k,j] : f32[i=4,j=10]\n");
}

TEST(HoistFactors, CastsWhatKernelsDoNotMultiplyWithTheOthers) {
  EXPECT_EQ(after(kRule, with_inputs("f32", "f64", "sum[k] f64(A[i,k]) * B[k,j]", "f64")),
            "out.1[i,k] = f64(A[i,k]) : f64[i=8,k=9]\n"
            "out[i,j] = sum[k] out.1[i,k] * B[k,j] : f64[i=8,j=10]\n");
  EXPECT_EQ(reason(kRule, with_inputs("f16", "f32", "sum[k] f32(A[i,k]) * B[k,j]", "f32"), "out"),
            "");
}

TEST(HoistFactors, DoesNotRoundNarrowFloats) {
  EXPECT_EQ(after(kRule, with_inputs("f16", "f16", "sum[k] (A[i,k] + A[i,k]) * B[k,j]", "f16")),
            "out.1[i,k] = f32(A[i,k] + A[i,k]) : f32[i=8,k=9]\n"
            "out[i,j] = sum[k] f16(out.1[i,k]) * B[k,j] : f16[i=8,j=10]\n");
}

TEST(HoistFactors, AppliesToEverySemiring) {
  EXPECT_EQ(after(kRule, with_inputs("f32", "f32", "min[k] (abs(A[i,k]) + B[k,j])", "f32")),
            "out.1[i,k] = abs(A[i,k]) : f32[i=8,k=9]\n"
            "out[i,j] = min[k] (out.1[i,k] + B[k,j]) : f32[i=8,j=10]\n");
}

TEST(HoistFactors, AndOthersMakeACovarianceAProductOfOneTensorWithItself) {
  const Optimized made = optimize(graph_of("%0 = input X : f32[n=50,f=8]\n%1 = input M : f32[f=8]\n"
                                           "%2 = einsum(%0, %1) {[n=50,f=8,g=8] out[f,g] = sum[n] "
                                           "(X[n,f] - M[f]) * (X[n,g] - M[g]) / "
                                           "49.0:f32} : f32[f=8,g=8]\noutput(%2) out\n"),
                                  all_rules(), {});
  EXPECT_EQ(statements_of(made.graph),
            "out.1.1[n,f] = X[n,f] - M[f] : f32[n=50,f=8]\n"
            "[n=50,f=8,g=8] out.1[f,g] = sum[n] x0[n,f] * x1[n,g] : f32[f=8,g=8]\n"
            "out[f,g] = out.1[f,g] / 49.0 : f32[f=8,g=8]\n");
}

TEST(HoistFactors, KeepsToTheLargestIntermediate) {
  const einsum::Graph graph =
      graph_of(with_inputs("f32", "f32", "sum[k] sin(A[i,k]) * B[k,j]", "f32"));
  const auto num_vertices = [&](int64_t bytes) {
    OptimizeOptions options;
    options.largest_intermediate_bytes = bytes;
    return optimize(graph, all_rules(), options).graph.vertices.size();
  };
  EXPECT_EQ(num_vertices(8 * 9 * 4), 5u);
  EXPECT_EQ(num_vertices(8 * 9 * 4 - 1), 4u);
}

TEST(HoistFactors, SaysWhyItDoesNotApply) {
  const auto why = [](const std::string& dtype, const std::string& statement) {
    return reason(kRule, with_inputs(dtype, dtype, statement, dtype), "out");
  };
  EXPECT_EQ(why("f32", "sum[k] A[i,k] * B[k,j]"), "");
  EXPECT_EQ(why("f32", "sum[k] sin(A[i,k] * B[k,j])"), "");
  EXPECT_EQ(why("f32", "max[k] sin(A[i,k]) * B[k,j]"), "multiply does not distribute over max");
  EXPECT_EQ(why("f32", "sum[k] sin(A[i,k]) * exp(A[i,k] + B[k,j])"),
            "factor 2 has every label: each of its elements is multiplied once");
  EXPECT_EQ(why("i32", "sum[k] A[i,k] * B[k,j] * 3:i32"), "factor 3 is a constant");
  EXPECT_EQ(reason(kRule,
                   "%0 = input X : f32[p=12]\n%1 = input B : f32[k=5,j=10]\n"
                   "%2 = einsum(%0, %1) {[i=8,j=10,k=5] out[i,j] = sum[k] sin(X[i+k]) * B[k,j]} : "
                   "f32[i=8,j=10]\noutput(%2) out\n",
                   "out"),
            "factor 1 reads an operand through a window");
}

}  // namespace
}  // namespace tessera::optimizer

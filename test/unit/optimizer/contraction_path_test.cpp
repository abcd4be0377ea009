#include <algorithm>

#include <gtest/gtest.h>

#include "optimizer/einsum/driver.h"
#include "unit/known.h"
#include "unit/optimizer/rewriting.h"

// Where the rule fires: test/plans/rules/contraction_path.test.

namespace tessera::optimizer::contraction_path_test {
namespace {

const std::string kRule = "contraction_path";

const std::string kChain =
    "%0 = input A : f32[i=40,j=8]\n%1 = input B : f32[j=8,k=40]\n%2 = input C : f32[k=40,l=9]\n"
    "%3 = einsum(%0, %1, %2) {out[i,l] = sum[j,k] A[i,j] * B[j,k] * C[k,l]} : f32[i=40,l=9]\n"
    "output(%3) out\n";

Optimized with_largest_intermediate(const std::string& text, int64_t bytes) {
  OptimizeOptions options;
  options.wishes.largest_intermediate_bytes = bytes;
  return optimize(graph_of(text), all_rules(), known().context, options);
}

TEST(ContractionPath, KeepsIntermediatesWithinABoundWhereAnOrderDoes) {
  const Optimized fits = with_largest_intermediate(kChain, 4 * 72);
  EXPECT_EQ(statements_of(fits.graph),
            "[j=8,k=40,l=9] out.1[j,l] = sum[k] B[j,k] * C[k,l] : f32[j=8,l=9]\n"
            "[i=40,j=8,l=9] out[i,l] = sum[j] A[i,j] * out.1[j,l] : f32[i=40,l=9]\n");
  EXPECT_TRUE(std::none_of(fits.report.reasons.begin(), fits.report.reasons.end(),
                           [](const Reason& each) { return each.rule == kRule; }));
}

TEST(ContractionPath, SaysWhichBoundCanBeKeptWhereTheWantedOneCannot) {
  const Optimized large = with_largest_intermediate(kChain, 4 * 72 - 1);
  EXPECT_EQ(large.report.applications.at(kRule), 1);
  const auto note = std::find_if(large.report.reasons.begin(), large.report.reasons.end(),
                                 [](const Reason& each) { return each.rule == kRule; });
  ASSERT_NE(note, large.report.reasons.end());
  EXPECT_EQ(note->vertex, "out");
  EXPECT_EQ(note->text,
            "no order keeps every intermediate within 71 elements: this one has the smallest "
            "largest, of 72");
}

}  // namespace
}  // namespace tessera::optimizer::contraction_path_test

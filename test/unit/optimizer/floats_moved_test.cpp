#include "optimizer/ia/floats_moved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/ir/graph_text.h"

namespace tessera::optimizer::floats_moved_test {
namespace {

using testing::ElementsAre;

TEST(FloatsMoved, ABroadcastGoesToEverySite) {
  const ia::Graph graph = parse_ia(
      "ia sites=4\n%0 = input X at=(i) : (i:4x10,k:2x5) -> f64[i=40,k=10]\n"
      "%1 = input Y at=(j) : (k:2x5,j:4x3) -> f64[k=10,j=12]\n"
      "%2 = bcast(%0)\n"
      "%3 = local_join(%2, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]}\n"
      "      : (i:4x10,j:4x3,k:2x5) -> f64[i=40,j=12]\n"
      "%4 = local_aggregate(%3) keep=(i,j) by=sum:f64\noutput(%4) C\n");
  EXPECT_THAT(floats_moved(graph), ElementsAre(0, 0, 400 * 4, 0, 0));
  EXPECT_EQ(total_floats_moved(graph), 1600);
}

/// The three sums of one site are one tuple for each group in the paper, which has no key for
/// sites.
TEST(FloatsMoved, PartialSumsAreCountedAsTheyAreShuffled) {
  const std::string inputs =
      "ia sites=2\n%0 = input X at=(k/2) : (i:3x2,k:4x5) -> f64[i=6,k=20]\n"
      "%1 = local_join(%0) on=(i,k) kernel={o[i] = sum[k] x0[i,k]} : (i:3x2,k:4x5) -> f64[i=6]\n";
  EXPECT_EQ(total_floats_moved(parse_ia(inputs + "%2 = shuf(%1) at=(i)\n"
                                                 "%3 = local_aggregate(%2) keep=(i) by=sum:f64\n"
                                                 "output(%3) R\n")),
            6 * 4);
  EXPECT_EQ(
      total_floats_moved(parse_ia(inputs + "%2 = local_aggregate(%1) keep=(i,k:2x10) by=sum:f64\n"
                                           "%3 = shuf(%2) at=(i)\n"
                                           "%4 = local_aggregate(%3) keep=(i) by=sum:f64\n"
                                           "output(%4) R\n")),
      6);
}

/// X is duplicated for the two columns of Y, though one site needs both.
TEST(FloatsMoved, CopiesForAJoinAreCountedKeyByKey) {
  const ia::Graph graph = parse_ia(
      "ia sites=3\n%0 = input X at=[0,1] : (i:2x4,k:1x5) -> f64[i=8,k=5]\n"
      "%1 = input Y at=everywhere : (k:1x5,j:2x3) -> f64[k=5,j=6]\n"
      "%2 = shuf(%0) at=[{0,1},{1,2}]\n"
      "%3 = local_join(%2, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]} "
      "made_at=(i+j) : (i:2x4,j:2x3) -> f64[i=8,j=6]\n"
      "output(%3) C\n");
  EXPECT_THAT(floats_moved(graph), ElementsAre(0, 0, 2 * 40, 0));
}

TEST(FloatsMoved, FrontiersArePropagatedAsThePaperSays) {
  const ia::Graph graph = parse_ia(
      "ia sites=2\n%0 = input A at=everywhere : (i:5x2,j:4x2) only {(0,0),(3,1)} -> f64[i=10,j=8]\n"
      "%1 = local_filter(%0) where={index(i) < 2}\n"
      "%2 = local_rekey(%0) key=(n=2*i+j)\n"
      "%3 = local_aggregate(%1) keep=(j) by=sum:f64\n"
      "%4 = local_aggregate(%2) keep=() by=sum:f64\noutput(%4) R\n");
  EXPECT_THAT(frontiers(graph), ElementsAre(ElementsAre(4, 2), ElementsAre(2, 2), ElementsAre(8),
                                            ElementsAre(2), ElementsAre()));
}

}  // namespace
}  // namespace tessera::optimizer::floats_moved_test

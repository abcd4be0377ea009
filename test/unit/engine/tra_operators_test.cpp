// The operators of the tensor relational algebra on the paper's own example (TRA §3), from plan
// text to results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/engine/stage_run.h"

namespace tessera::engine {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// The paper's A: 4 x 4 whose 2 x 2 tiles are 1,2,3,4 / 5,6,7,8 / 9,... when read tile by tile.
const std::vector<double> kA = {1, 2, 5, 6, 3, 4, 7, 8, 9, 10, 13, 14, 11, 12, 15, 16};

std::vector<double> result_of(const std::string& nodes) {
  const Session session;
  const auto a = tensor({4, 4}, kA);
  const StageText text{{"plan.tra", "tra\n%0 = input A : (i:2x2,j:2x2) -> f64[i=4,j=4]\n" + nodes}};
  auto results = run_source(session, text, {{"A", a.get()}});
  return values_of(*results.at("R"));
}

std::string refusal_of(const std::string& nodes) {
  try {
    result_of(nodes);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(TraOperators, AggregateKeepsTheSecondKey) {
  EXPECT_THAT(
      result_of("%1 = aggregate(%0) keep=(j) by=sum:f64 : (j:2x2) -> f64[i=2,j=4]\noutput(%1) R\n"),
      ElementsAre(10, 12, 18, 20, 14, 16, 22, 24));
}

TEST(TraOperators, AggregateOfEverythingIsOneTile) {
  EXPECT_THAT(
      result_of("%1 = aggregate(%0) keep=() by=sum:f64 : () -> f64[i=2,j=2]\noutput(%1) R\n"),
      ElementsAre(28, 32, 36, 40));
}

TEST(TraOperators, JoinMultipliesTheTilesThatMeet) {
  const std::vector<double> product = result_of(
      "%1 = join(%0, %0) on=(i,j; j,k) kernel={o[i,k] = sum[j] x0[i,j] * x1[j,k]}"
      " : (i:2x2,j:2x2,k:2x2) -> f64[i=4,k=4]\noutput(%1) R\n");
  // Key (0,1,0): [5 6; 7 8] times [9 10; 11 12]. The key dimension j cuts no mode of the result, so
  // it comes first.
  ASSERT_EQ(product.size(), 32U);
  EXPECT_THAT((std::vector<double>{product[16], product[17], product[20], product[21]}),
              ElementsAre(111, 122, 151, 166));
}

TEST(TraOperators, JoinAndAggregateAreTheMatrixProduct) {
  std::vector<double> expected(16, 0);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < 4; ++k) {
      for (size_t j = 0; j < 4; ++j) {
        expected[4 * i + k] += kA[4 * i + j] * kA[4 * j + k];
      }
    }
  }
  EXPECT_THAT(result_of("%1 = join(%0, %0) on=(i,j; j,k) kernel={o[i,k] = sum[j] x0[i,j] * x1[j,k]}"
                        " : (i:2x2,j:2x2,k:2x2) -> f64[i=4,k=4]\n"
                        "%2 = aggregate(%1) keep=(i,k) by=sum:f64 : (i:2x2,k:2x2) -> "
                        "f64[i=4,k=4]\noutput(%2) R\n"),
              ElementsAreArray(expected));
}

TEST(TraOperators, RekeyNumbersTheTiles) {
  const std::vector<double> tiles =
      result_of("%1 = rekey(%0) key=(n=2*i+j) : (n:4 bare) -> f64[i=2,j=2]\noutput(%1) R\n");
  ASSERT_EQ(tiles.size(), 16U);
  for (size_t number = 0; number < 16; ++number) {
    EXPECT_EQ(tiles[number], static_cast<double>(number + 1));
  }
}

TEST(TraOperators, RekeyRefusesTwoTuplesWithOneKey) {
  EXPECT_THAT(refusal_of("%1 = rekey(%0) key=(n=i+j) : (n:3 bare) -> f64[i=2,j=2]\noutput(%1) R\n"),
              HasSubstr("the tuples (i=0,j=1) and (i=1,j=0) both get the key (n=1)"));
}

TEST(TraOperators, RekeyRefusesAGap) {
  EXPECT_THAT(
      refusal_of("%1 = rekey(%0) key=(n=4*i+j) : (n:6 bare) -> f64[i=2,j=2]\noutput(%1) R\n"),
      HasSubstr("no tuple gets the key (n=2)"));
}

TEST(TraOperators, FilterLeavesOutTuplesBeforeTheyMeet) {
  // Only the diagonal tiles: the sum of their elements per key j.
  EXPECT_THAT(
      result_of("%1 = filter(%0) where={index(i) == index(j)} : (i:2x2,j:2x2) -> f64[i=4,j=4]\n"
                "%2 = aggregate(%1) keep=(j) by=sum:f64 : (j:2x2) -> f64[i=2,j=4]\noutput(%2) R\n"),
      ElementsAre(1, 2, 13, 14, 3, 4, 15, 16));
}

TEST(TraOperators, AResultWithAHoleIsRefused) {
  EXPECT_THAT(refusal_of("%1 = filter(%0) where={index(i) == index(j)} : (i:2x2,j:2x2) -> "
                         "f64[i=4,j=4]\noutput(%1) R\n"),
              HasSubstr("there is no tuple with key (i=0,j=1): a filter left it out"));
}

TEST(TraOperators, TransformRunsOnEveryTile) {
  EXPECT_THAT(
      result_of("%1 = transform(%0) kernel={o[i] = max[j] x0[i,j]} : (i:2x2,j:2x2) -> f64[i=4]\n"
                "%2 = aggregate(%1) keep=(i) by=max:f64 : (i:2x2) -> f64[i=4]\noutput(%2) R\n"),
      ElementsAre(6, 8, 14, 16));
}

TEST(TraOperators, ConcatThenTileGivesTheSameTiles) {
  EXPECT_THAT(
      result_of("%1 = concat(%0) label=j : (i:2x2) -> f64[i=4,j=4]\n"
                "%2 = tile(%1) dim=j:4x1 : (i:2x2,j:4x1) -> f64[i=4,j=4]\n"
                "%3 = rekey(%2) key=(n=4*i+j) : (n:8 bare) -> f64[i=2,j=1]\noutput(%3) R\n"),
      ElementsAre(1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10, 12, 13, 15, 14, 16));
}

TEST(TraOperators, RepartitionToRaggedTilesKeepsTheTensor) {
  EXPECT_THAT(result_of("%1 = repartition(%0) : (i:[0,3,4],j:4x1) -> f64[i=4,j=4]\noutput(%1) R\n"),
              ElementsAreArray(kA));
}

}  // namespace
}  // namespace tessera::engine

#include "ir/tra/stated_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "ir/tra/verify.h"
#include "unit/expr/registries.h"

namespace tessera::stated_order_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What is said of the order of relations whose last node is this, over X[i,j].
std::vector<std::string> problems(const std::string& key, const std::string& nodes) {
  return tra::verify_order(tra::parse_graph({"g", "tra reproducible=yes\n%0 = input X : " + key +
                                                      " -> f32[i=4,j=3000]\n" + nodes},
                                            expr::all_functions(), expr::all_aggregates()),
                           expr::all_aggregates());
}

TEST(StatedOrder, IsWantedOfEveryKernelThatRounds) {
  EXPECT_THAT(problems("(i:1x4)",
                       "%1 = join(%0) on=(i) kernel={o[i] = sum[j] x0[i,j]} : (i:1x4) "
                       "-> f32[i=4]\n"),
              ElementsAre("node %1 (): sum rounds, so it has to say leaf j=512, but says no leaf"));
  EXPECT_THAT(problems("(i:1x4)", "%1 = transform(%0) kernel={o[i] = sum[j] x0[i,j]}\n"),
              ElementsAre("node %1 (): sum rounds, so it has to say leaf j=512, but says no leaf"));
  EXPECT_THAT(
      problems("(i:1x4)", "%1 = transform(%0) kernel={o[i] = sum[j; leaf j=64] x0[i,j]}\n"),
      ElementsAre("node %1 (): sum rounds, so it has to say leaf j=512, but says leaf j=64"));
  EXPECT_THAT(
      problems("(i:1x4)", "%1 = transform(%0) kernel={o[i] = sum[j; leaf j=512] x0[i,j]}\n"),
      IsEmpty());
  EXPECT_THAT(problems("(i:1x4)", "%1 = transform(%0) kernel={o[i] = max[j] x0[i,j]}\n"),
              IsEmpty());
  EXPECT_THAT(problems("(i:1x4)", "%1 = transform(%0) kernel={o[i,j] = exp(x0[i,j])}\n"),
              IsEmpty());
}

TEST(StatedOrder, IsOfCutsBetweenSubtrees) {
  const std::string transform = "%1 = transform(%0) kernel={o[i] = sum[j; leaf j=512] x0[i,j]}\n";
  EXPECT_THAT(problems("(i:1x4,j:3000/1024)", transform), IsEmpty());
  EXPECT_THAT(problems("(i:1x4,j:3000/1000)", transform),
              ElementsAre(HasSubstr("label j is cut inside subtrees of its reduction; j may be cut "
                                    "every 512 positions")));
}

TEST(StatedOrder, IsATreeOfMergedTuples) {
  EXPECT_THAT(problems("(i:2x2)", "%1 = aggregate(%0) keep=() by=sum:f32\n"),
              ElementsAre("node %1 (): sum rounds, so it has to say order=tree"));
  EXPECT_THAT(problems("(i:2x2)", "%1 = aggregate(%0) keep=() by=sum:f32 order=tree\n"), IsEmpty());
  EXPECT_THAT(problems("(i:2x2)", "%1 = aggregate(%0) keep=() by=max:f32\n"), IsEmpty());
}

std::string error_of_placed(const std::string& settings, const std::string& sum) {
  try {
    ia::parse_graph({"g", "ia sites=1" + settings +
                              "\n%0 = input X at=everywhere : (i:1x4) -> f32[i=4,j=3000]\n"
                              "%1 = local_transform(%0) kernel={o[i] = " +
                              sum + " x0[i,j]} : (i:1x4) -> f32[i=4]\noutput(%1) Y\n"},
                    expr::all_functions(), expr::all_aggregates());
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.message();
  }
}

TEST(StatedOrder, IsStatedByAPlacedTextThatSaysItIsReproducible) {
  EXPECT_EQ(error_of_placed("", "sum[j]"), "");
  EXPECT_EQ(error_of_placed(" reproducible=yes", "sum[j; leaf j=512]"), "");
  EXPECT_THAT(error_of_placed(" reproducible=yes", "sum[j]"),
              HasSubstr("node %1 (): sum rounds, so it has to say leaf j=512, but says no leaf"));
}

}  // namespace
}  // namespace tessera::stated_order_test

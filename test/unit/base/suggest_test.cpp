#include "base/suggest.h"

#include <vector>

#include <gtest/gtest.h>

namespace tessera::suggest_test {
namespace {

const std::vector<std::string> kNames = {"exp", "max", "sqrt", "softmax", "logsumexp"};

TEST(Suggest, FindsSlips) {
  EXPECT_EQ(closest_name("sofmax", kNames), "softmax");
  EXPECT_EQ(closest_name("softmaxx", kNames), "softmax");
  EXPECT_EQ(closest_name("sotfmax", kNames), "softmax");
  EXPECT_EQ(closest_name("lgosumepx", kNames), "logsumexp");
  EXPECT_EQ(closest_name("mxa", kNames), "max");
  EXPECT_EQ(closest_name("exp", kNames), "exp");
}

TEST(Suggest, DoesNotGuess) {
  EXPECT_EQ(closest_name("convolve", kNames), std::nullopt);
  EXPECT_EQ(closest_name("", kNames), std::nullopt);
  EXPECT_EQ(closest_name("q", kNames), std::nullopt);
  EXPECT_EQ(closest_name("exp", {}), std::nullopt);
}

TEST(Suggest, DoesNotOfferAnUnrelatedNameOfOneLetter) {
  const std::vector<std::string> labels = {"i", "j"};
  EXPECT_EQ(closest_name("k", labels), std::nullopt);
}

TEST(Suggest, TakesTheFirstOfEquallyNearNames) {
  const std::vector<std::string> names = {"cat", "car"};
  EXPECT_EQ(closest_name("caz", names), "cat");
}

TEST(Suggest, WordsTheQuestion) {
  EXPECT_EQ(did_you_mean("sqrtt", kNames), "did you mean 'sqrt'?");
  EXPECT_EQ(did_you_mean("convolve", kNames), "");
}

}  // namespace
}  // namespace tessera::suggest_test

#include "program/growing/term.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::program::term_test {

namespace {

TEST(FreshLabels, SayTheirExtents) {
  FreshLabels labels;
  EXPECT_EQ(labels.of(10), "i_10");
  EXPECT_EQ(labels.of(Shape{10, 3}), (Labels{"j_10", "i_3"}));
  EXPECT_EQ(extent_of_label("kk_10"), 10);
  EXPECT_THAT(labels.given(), testing::UnorderedElementsAre("i_10", "j_10", "i_3"));
  std::set<std::string> seen;
  for (int number = 0; number < 100; ++number) {
    seen.insert(labels.of(7));
  }
  EXPECT_EQ(seen.size(), 100u);
}

}  // namespace

}  // namespace tessera::program::term_test

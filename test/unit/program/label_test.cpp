#include "program/growing/label.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::program::label_test {

namespace {

TEST(FreshLabels, DifferAndHaveTheirExtents) {
  FreshLabels labels;
  EXPECT_EQ(labels.of(10), (Label{10, 0}));
  EXPECT_EQ(labels.of(Shape{10, 3}), (Labels{{10, 1}, {3, 0}}));
  std::set<std::string> names;
  for (int number = 0; number < 100; ++number) {
    names.insert(name_of(labels.of(7)));
  }
  EXPECT_EQ(names.size(), 100u);
}

TEST(FreshLabels, AreNamedByNumberAndExtent) {
  EXPECT_EQ(name_of({10, 0}), "i_10");
  EXPECT_EQ(name_of({10, 1}), "j_10");
  EXPECT_EQ(name_of({3, 25}), "ii_3");
}

}  // namespace

}  // namespace tessera::program::label_test

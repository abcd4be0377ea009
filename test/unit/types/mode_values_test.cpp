#include "types/mode_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "types/shape.h"

namespace tessera::mode_values_test {
namespace {

using testing::ElementsAre;

TEST(ModeValues, ReadsLikeTheVectorItIsMadeFrom) {
  const Shape shape = {2, 3, 5};
  ModeValues values = shape;
  EXPECT_THAT(values.to_vector(), ElementsAre(2, 3, 5));
  EXPECT_EQ(values.to_vector(), shape);
  EXPECT_EQ(num_elements(values), 30);
  values[1] = 4;
  EXPECT_THAT(values.to_vector(), ElementsAre(2, 4, 5));
}

TEST(ModeValues, OfAScalarAreNone) {
  const ModeValues none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(num_elements(none), 1);
  EXPECT_EQ(none, ModeValues(Shape{}));
}

TEST(ModeValues, CopiesAreApart) {
  ModeValues values = {1, 2};
  ModeValues copy = values;
  copy[0] = 7;
  EXPECT_THAT(values.to_vector(), ElementsAre(1, 2));
  copy = values;
  EXPECT_EQ(copy, values);
  EXPECT_NE(copy, (ModeValues{1, 2, 3}));
}

TEST(ModeValues, ModesAreAddedInFront) {
  ModeValues values = {5, 6};
  values.prepend(2, 1);
  EXPECT_THAT(values.to_vector(), ElementsAre(1, 1, 5, 6));
  values.prepend(0, 9);
  EXPECT_THAT(values.to_vector(), ElementsAre(1, 1, 5, 6));
}

TEST(ModeValues, AreAtMostSoMany) {
  EXPECT_EQ(ModeValues(Shape(kMostModes, 1)).size(), kMostModes);
  try {
    const ModeValues values(Shape(kMostModes + 1, 1));
    FAIL() << values.size() << " modes";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_EQ(error.message(), "an array of 65 modes; an array in memory has at most 64");
  }
}

}  // namespace
}  // namespace tessera::mode_values_test

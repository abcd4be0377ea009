#include "program/versions/version_names.h"

#include <gtest/gtest.h>

namespace tessera::program::version_names_test {

namespace {

TEST(VersionNames, AreKnownAgain) {
  VersionNames names;
  const VersionId one = names.id_of("t", {3, -2});
  const VersionId other = names.id_of("t", {-2, 3});
  EXPECT_NE(one, other);
  EXPECT_EQ(names.id_of("t", {3, -2}), one);
  EXPECT_EQ(names.name(one), "t[3][-2]");
  EXPECT_EQ(names.key(other), (VersionKey{-2, 3}));
  EXPECT_EQ(names.size(), 2U);
}

TEST(VersionNames, TellTablesAndNumbersOfIndicesApart) {
  VersionNames names;
  const VersionId one = names.id_of("t", {1});
  EXPECT_NE(names.id_of("u", {1}), one);
  EXPECT_NE(names.id_of("t", {1, 1}), one);
  EXPECT_EQ(names.name(names.id_of("t", {1, 1})), "t[1][1]");
}

TEST(VersionNames, OfLongChainsAreFound) {
  VersionNames names;
  for (int64_t step = 0; step < 5000; ++step) {
    EXPECT_EQ(names.id_of("t", {step}).value, step);
  }
  for (int64_t step = 0; step < 5000; ++step) {
    EXPECT_EQ(names.id_of("t", {step}).value, step);
  }
}

TEST(VersionNames, AreForgotten) {
  VersionNames names;
  names.id_of("t", {1});
  names.clear();
  EXPECT_EQ(names.size(), 0U);
  EXPECT_EQ(names.id_of("u", {1}).value, 0);
}

}  // namespace

}  // namespace tessera::program::version_names_test

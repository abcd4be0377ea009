#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/tra/keys.h"

namespace tessera::tra {
namespace {

TEST(Keys, EveryKeyInRowMajorOrder) {
  EXPECT_EQ(all_keys({}), std::vector<Key>{{}});
  EXPECT_EQ(all_keys({BareDim{"a", 2}, DenseDim{"i", cut_every(4, 2)}}),
            (std::vector<Key>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_TRUE(all_keys({BareDim{"a", INT64_MAX}, BareDim{"b", 0}}).empty());
}

TEST(Keys, MoreTuplesThanAPlanCanNameAreRefused) {
  const KeyDim long_dim = BareDim{"a", INT64_MAX};
  const KeyDim cut = DenseDim{"i", cut_every(100000, 1)};
  EXPECT_THROW(all_keys({long_dim}), Error);
  EXPECT_THROW(all_keys({long_dim, BareDim{"b", 1}, BareDim{"c", INT64_MAX}}), Error);
  EXPECT_THROW(all_keys({cut, cut}), Error);
}

}  // namespace
}  // namespace tessera::tra

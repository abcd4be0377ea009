#include "plan/lineage.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::plan {
namespace {

TEST(Lineage, EveryKeyInRowMajorOrder) {
  EXPECT_EQ(all_keys({}), std::vector<Key>{{}});
  EXPECT_EQ(all_keys({tra::BareDim{"a", 2}, tra::DenseDim{"i", cut_every(4, 2)}}),
            (std::vector<Key>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_TRUE(all_keys({tra::BareDim{"a", INT64_MAX}, tra::BareDim{"b", 0}}).empty());
}

TEST(Lineage, MoreTuplesThanAPlanCanNameAreRefused) {
  const tra::KeyDim long_dim = tra::BareDim{"a", INT64_MAX};
  const tra::KeyDim cut = tra::DenseDim{"i", cut_every(100000, 1)};
  EXPECT_THROW(all_keys({long_dim}), Error);
  EXPECT_THROW(all_keys({long_dim, tra::BareDim{"b", 1}, tra::BareDim{"c", INT64_MAX}}), Error);
  EXPECT_THROW(all_keys({cut, cut}), Error);
}

}  // namespace
}  // namespace tessera::plan

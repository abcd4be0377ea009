#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/tra/keys.h"
#include "ir/tra/presence.h"

namespace tessera::tra {
namespace {

std::vector<Key> listed(const Keys& keys) {
  return {keys.begin(), keys.end()};
}

TEST(Keys, EveryKeyInRowMajorOrder) {
  EXPECT_EQ(listed(all_keys({})), std::vector<Key>{{}});
  EXPECT_EQ(listed(all_keys({BareDim{"a", 2}, DenseDim{"i", cut_every(4, 2)}})),
            (std::vector<Key>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(listed(Keys({{2, 4}, {7, 8}})), (std::vector<Key>{{2, 7}, {3, 7}}));
  EXPECT_TRUE(all_keys({BareDim{"a", INT64_MAX}, BareDim{"b", 0}}).empty());
}

TEST(Keys, AKeyIsFoundByItsPlace) {
  const std::vector<KeyDim> dims = {BareDim{"a", 3}, BareDim{"b", 2}, BareDim{"c", 5}};
  size_t number = 0;
  for (const Key& key : all_keys(dims)) {
    EXPECT_EQ(key_at(number, dims), key);
    EXPECT_EQ(number_of(key, dims), number);
    ++number;
  }
}

TEST(Keys, PlacesOfOtherKeysAreThoseOfEachKey) {
  const std::vector<KeyDim> fine = {BareDim{"a", 3}, DenseDim{"i", cut_every(7, 2)},
                                    BareDim{"c", 2}};
  const std::vector<KeyDim> coarse = {BareDim{"c", 2}, DenseDim{"i", cut_every(7, 4)}};
  const std::vector<KeyExpression> turned = {{"x", {{"c", 3}, {"a", 1}}, 2}, {"y", {{"i", -1}}, 3}};
  const std::vector<KeyDim> space = {BareDim{"x", 8}, BareDim{"y", 4}};
  const std::vector<int> dims = {2, -1, 0};
  const std::vector<KeyDim> read = {BareDim{"c", 2}, BareDim{"z", 1}, BareDim{"a", 3}};
  const Coarsening coarsening(fine, coarse);
  const std::vector<int64_t> coarser = coarsening.numbers();
  const std::vector<int64_t> mapped = mapped_numbers(fine, turned, space);
  const std::vector<int64_t> matched = matched_numbers(fine, dims, read);
  size_t number = 0;
  for (const Key& key : all_keys(fine)) {
    EXPECT_EQ(static_cast<size_t>(coarser[number]), number_of(coarsening(key), coarse));
    EXPECT_EQ(static_cast<size_t>(mapped[number]), number_of(mapped_key(fine, key, turned), space));
    EXPECT_EQ(static_cast<size_t>(matched[number]), number_of(matched_key(key, dims), read));
    ++number;
  }
  EXPECT_EQ(coarser.size(), number);
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

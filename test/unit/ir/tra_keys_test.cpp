#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/tra/keys.h"
#include "ir/tra/part_lists.h"
#include "ir/tra/presence.h"

namespace tessera::tra::tra_keys_test {
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

TEST(Windows, AreMadeOfThePiecesThatTheyCover) {
  const std::vector<KeyDim> windows = {WindowDim{"i", WindowGrid{{0, 3, 8}, {5, 9, 10}}},
                                       DenseDim{"j", cut_every(4, 4)}};
  const std::vector<KeyDim> pieces = {DenseDim{"i", cut_every(10, 4)},
                                      DenseDim{"j", cut_every(4, 2)}};
  const std::vector<KeyDim> boxes = common_refinement(pieces, windows);
  EXPECT_EQ(boxes[0], KeyDim(DenseDim{"i", ModeGrid{{0, 3, 4, 5, 8, 9, 10}}}));
  EXPECT_EQ(boxes[1], KeyDim(DenseDim{"j", cut_every(4, 2)}));
  EXPECT_TRUE(refines(boxes, windows));
  EXPECT_FALSE(refines(pieces, windows));
  EXPECT_FALSE(refines(windows, pieces));
  std::vector<Key> parts;
  for (const Key& part : parts_of({1, 0}, windows, boxes)) {
    parts.push_back(part);
  }
  EXPECT_EQ(parts,
            (std::vector<Key>{{1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {4, 0}, {4, 1}}));
}

TEST(Windows, AreCutFromPiecesThatHoldThem) {
  const std::vector<KeyDim> windows = {WindowDim{"i", WindowGrid{{5, 0, 4}, {8, 3, 5}}}};
  const std::vector<KeyDim> pieces = {DenseDim{"i", cut_every(8, 4)}};
  EXPECT_TRUE(refines(windows, pieces));
  EXPECT_EQ(Coarsening(windows, pieces).numbers(), (std::vector<int64_t>{1, 0, 1}));
}

TEST(Windows, ShareTheTuplesThatTheyAreMadeOf) {
  const std::vector<KeyDim> windows = {WindowDim{"i", WindowGrid{{0, 2}, {4, 6}}}};
  const std::vector<KeyDim> pieces = {DenseDim{"i", cut_every(6, 2)}};
  const PartLists parts = PartLists::merged(pieces, windows);
  const auto numbers = [&](size_t window) {
    return std::vector<int64_t>(parts.of(window).begin(), parts.of(window).end());
  };
  EXPECT_EQ(numbers(0), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(numbers(1), (std::vector<int64_t>{1, 2}));
}

}  // namespace
}  // namespace tessera::tra::tra_keys_test

#include "ir/ia/placement.h"

#include <gtest/gtest.h>

#include "ir/ia/placement_of.h"

namespace tessera::ia {
namespace {

using Sites = std::vector<int32_t>;

tra::KeyDim dim(const std::string& label, int64_t pieces) {
  return tra::DenseDim{label, cut_every(pieces, 1)};
}

ByTable table(Sites sites) {
  return {std::move(sites)};
}

TEST(Placement, AMapIsArithmeticOnTheKey) {
  const std::vector<tra::KeyDim> key = {dim("i", 4), dim("j", 2)};
  EXPECT_EQ(sites_of(ByMap{{{"i"}}}, key, 3), (Sites{0, 0, 1, 1, 2, 2, 0, 0}));
  EXPECT_EQ(sites_of(ByMap{{{"i", 2, 2, 0}, {"j"}}}, key, 4), (Sites{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(sites_of(ByMap{{{"i", 1, 1, 2}}}, key, 4), (Sites{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(sites_of(ByMap{}, key, 4), Sites(8, 0));
}

TEST(Placement, InTurnCountsKeysInRowMajorOrder) {
  const std::vector<tra::KeyDim> key = {dim("i", 3), dim("j", 5)};
  Sites in_order;
  for (int32_t number = 0; number < 15; ++number) {
    in_order.push_back(number % 4);
  }
  EXPECT_EQ(sites_of(in_turn({"i", "j"}, key, 4), key, 4), in_order);
  EXPECT_EQ(in_turn({"i", "j"}, key, 5), (ByMap{{{"j"}}}));  // rows of 5 begin anew
}

TEST(Placement, MapsAreAlikeWhereTheyNameTheSameSites) {
  const std::vector<tra::KeyDim> key = {dim("i", 4), dim("j", 1)};
  const Placement by_i = ByMap{{{"i"}}};
  EXPECT_TRUE(lie_alike(by_i, ByMap{{{"i", 5}, {"j", 3}}}, key, 4));
  EXPECT_TRUE(lie_alike(by_i, ByMap{{{"i", 1, 1, 4}}}, key, 4));
  EXPECT_TRUE(lie_alike(by_i, table({0, 1, 2, 3}), key, 4));
  EXPECT_FALSE(lie_alike(by_i, ByMap{{{"i", 1, 2, 0}}}, key, 4));
  EXPECT_FALSE(lie_alike(by_i, table({0, 1, 3, 2}), key, 4));
  EXPECT_FALSE(lie_alike(by_i, Everywhere{}, key, 4));
  EXPECT_TRUE(lie_alike(Everywhere{}, Everywhere{}, key, 4));
}

TEST(Placement, SaysWhatIsWrong) {
  const std::vector<tra::KeyDim> key = {dim("i", 4)};
  EXPECT_EQ(verify(ByMap{{{"k"}}}, key, 4),
            std::vector<std::string>{"its placement is by k, which is no key dimension"});
  EXPECT_EQ(verify(ByMap{{{"i", 1, 0, 0}}}, key, 4),
            std::vector<std::string>{"its placement by i has a number that is out of range"});
  EXPECT_EQ(verify(table({0, 1}), key, 4),
            std::vector<std::string>{"its placement names sites of 2 tuples, but its key has 4"});
  EXPECT_EQ(verify(table({0, 1, 2, 4}), key, 4),
            std::vector<std::string>{"its placement names site 4, but there are 4"});
  EXPECT_TRUE(verify(table({0, 1, 2, kNowhere}), key, 4).empty());
}

TEST(Placement, PiecesLieWhereTheirTileLies) {
  const std::vector<tra::KeyDim> coarse = {tra::DenseDim{"i", cut_every(7, 4)}};
  const std::vector<tra::KeyDim> halves = {tra::DenseDim{"i", cut_every(7, 2)}};
  const std::vector<tra::KeyDim> ragged = {tra::DenseDim{"i", ModeGrid{{0, 4, 5, 6, 7}}}};
  EXPECT_EQ(*placement_of_pieces(ByMap{{{"i"}}}, coarse, halves, 4),
            Placement(ByMap{{{"i", 1, 2, 0}}}));
  EXPECT_EQ(*placement_of_pieces(ByMap{{{"i"}}}, coarse, ragged, 4),
            Placement(table({0, 1, 1, 1})));
  EXPECT_EQ(*placement_of_pieces(table({3, kNowhere}), coarse, halves, 4),
            Placement(table({3, 3, kNowhere, kNowhere})));
}

}  // namespace
}  // namespace tessera::ia

#include "ir/ia/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ia/placement_of.h"
#include "unit/ir/graph_text.h"

namespace tessera::ia::placement_test {
namespace {

using Sites = std::vector<int32_t>;

tra::KeyDim dim(const std::string& label, int64_t pieces) {
  return tra::DenseDim{label, cut_every(pieces, 1)};
}

ByTable table(Sites sites) {
  return {std::move(sites)};
}

Placement copies(const std::vector<Sites>& sets, int64_t num_sites) {
  SiteSets sites;
  for (const Sites& set : sets) {
    sites.add(set);
  }
  return copied(std::move(sites), num_sites);
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

TEST(Placement, ATableThatIsArithmeticIsAMap) {
  const std::vector<tra::KeyDim> key = {dim("i", 4), dim("j", 3)};
  for (const ByMap& map :
       {ByMap{{{"i"}}}, ByMap{{{"i", 2, 2, 0}, {"j"}}}, ByMap{{{"i", 1, 1, 2}, {"j", 2, 1, 2}}},
        ByMap{{{"i", 3}, {"j"}}}, ByMap{}}) {
    const Sites sites = sites_of(map, key, 5);
    const Placement found = map_or_table(sites, key, 5);
    EXPECT_NE(map_of(found), nullptr) << to_string(found);
    EXPECT_EQ(sites_of(found, key, 5), sites);
  }
  const Sites uneven = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 3};
  EXPECT_EQ(map_or_table(uneven, key, 5), Placement(table(uneven)));
  const Sites absent = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, kNowhere};
  EXPECT_EQ(map_or_table(absent, key, 5), Placement(table(absent)));
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

TEST(Placement, CopiesAreTheLeastThatSaysTheSame) {
  EXPECT_EQ(copies({{1}, {}, {0}}, 2), Placement(table({1, kNowhere, 0})));
  EXPECT_EQ(copies({{0, 1}, {0, 1}}, 2), Placement(Everywhere{}));
  EXPECT_EQ(to_string(copies({{0}, {1, 2}, {}, {0, 3}}, 4)), "[0,{1,2},-1,{0,3}]");
  EXPECT_TRUE(is_by_copies(copies({{0, 1}, {1}}, 2)));
}

TEST(Placement, SaysWhatIsWrongWithCopies) {
  const std::vector<tra::KeyDim> key = {dim("i", 2)};
  EXPECT_TRUE(verify(copies({{0, 3}, {}}, 4), key, 4).empty());
  EXPECT_EQ(verify(copies({{0, 4}, {1}}, 8), key, 4),
            std::vector<std::string>{"its placement names site 4, but there are 4"});
  EXPECT_EQ(verify(copies({{0, 1}}, 4), key, 4),
            std::vector<std::string>{"its placement names sites of 1 tuples, but its key has 2"});
  EXPECT_EQ(verify(copies({{0}, {1, 1}}, 4), key, 4),
            std::vector<std::string>{"its placement names sites of tuple 1 that do not ascend"});
}

TEST(Placement, PiecesOfCopiesAreCopies) {
  const std::vector<tra::KeyDim> coarse = {tra::DenseDim{"i", cut_every(7, 4)}};
  const std::vector<tra::KeyDim> halves = {tra::DenseDim{"i", cut_every(7, 2)}};
  EXPECT_EQ(*placement_of_pieces(copies({{0, 2}, {1}}, 4), coarse, halves, 4),
            copies({{0, 2}, {0, 2}, {1}, {1}}, 4));
}

/// A lies as it says on three sites; `made` is what a join of its two tuples with those of B makes.
Placement joined(const std::string& a, const std::string& b, const std::string& made = "") {
  return parse_ia(
             "ia sites=3\n"
             "%0 = input A at=" +
             a +
             " : (i:2x2) -> f64[i=4]\n"
             "%1 = input B at=" +
             b +
             " : (j:2x2) -> f64[j=4]\n"
             "%2 = local_join(%0, %1) on=(i; j) kernel={o[i,j] = x0[i] * x1[j]}" +
             made +
             " : (i:2x2,j:2x2) -> f64[i=4,j=4]\n"
             "output(%2) C\n")
      .nodes[2]
      .placement;
}

std::string refusal_of_join(const std::string& a, const std::string& b,
                            const std::string& made = "") {
  return error_of([&](const std::string&) { joined(a, b, made); }, "");
}

TEST(Placement, OfCopiesAJoinIsMadeWhereverAllMeet) {
  EXPECT_EQ(to_string(joined("[{0,1},{1,2}]", "[{0,1},1]")), "[{0,1},1,1,1]");
  EXPECT_EQ(to_string(joined("[{0,1},2]", "everywhere")), "[{0,1},{0,1},2,2]");
  EXPECT_THAT(
      refusal_of_join("[{0,1},2]", "[{0,1},1]"),
      testing::HasSubstr("tuples that meet are apart: for key (i=1,j=0) no site has all of them"));
}

TEST(Placement, AJoinNamesOneOfTheSitesThatItsTuplesShare) {
  const std::string at = " made_at=";
  EXPECT_EQ(to_string(joined("[{0,1},{1,2}]", "[{0,1},1]", at + "[0,1,1,1]")), "[0,1,1,1]");
  EXPECT_EQ(to_string(joined("everywhere", "everywhere", at + "(i+j)")), "(i+j)");
  EXPECT_THAT(
      refusal_of_join("[{0,1},{1,2}]", "[{0,1},1]", at + "[0,1,2,1]"),
      testing::HasSubstr("site 2 is named for key (i=1,j=0), but lacks tuples that meet there"));
  EXPECT_THAT(refusal_of_join("[{0,1},1]", "everywhere", at + "[0,-1,1,1]"),
              testing::HasSubstr("no site is named for key (i=0,j=1)"));
  EXPECT_THAT(refusal_of_join("everywhere", "everywhere", at + "[{0,1},1,1,1]"),
              testing::HasSubstr("it is made [{0,1},1,1,1], but one site makes a tuple"));
}

TEST(Placement, CopiesAreMergedWhereAllPartsAre) {
  const auto summed = [](const std::string& at) {
    return to_string(parse_ia("ia sites=3\n"
                              "%0 = input A at=" +
                              at +
                              " : (i:2x2,j:2x2) -> f64[i=4,j=4]\n"
                              "%1 = local_join(%0) on=(i,j) kernel={o[i] = sum[j] x0[i,j]}"
                              " : (i:2x2,j:2x2) -> f64[i=4]\n"
                              "%2 = local_aggregate(%1) keep=(i) by=sum:f64\n"
                              "output(%2) C\n")
                         .nodes[2]
                         .placement);
  };
  EXPECT_EQ(summed("[{0,1},{0,2},{1,2},{1,2}]"), "[0,{1,2}]");
  EXPECT_THAT(
      error_of(summed, "[{0,1},2,{1,2},{1,2}]"),
      testing::HasSubstr("tuples that meet are apart: for key (i=0) no site has all of them"));
}

}  // namespace
}  // namespace tessera::ia::placement_test

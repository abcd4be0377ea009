#include "placement/grid/site_grid.h"

#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/tra/keys.h"

namespace tessera::placement::site_grid_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

tra::KeyDim dim(const std::string& label, int64_t extent, int64_t piece) {
  return tra::DenseDim{label, cut_every(extent, piece)};
}

TEST(SiteGrid, HasEveryFactorisationInEveryOrder) {
  const std::vector<tra::KeyDim> key = {dim("i", 8, 1), dim("j", 8, 1)};
  // 1*8, 8*1, and 2*4 and 4*2 in two orders each.
  EXPECT_THAT(site_grids(key, 8, 100), SizeIs(6));
  EXPECT_THAT(site_grids(key, 8, 4), SizeIs(4)) << "orders are left out before grids";
  for (const SiteGrid& grid : site_grids(key, 8, 100)) {
    std::set<int32_t> sites;
    for (const int32_t site : ia::sites_of(map_of(grid, key), key, 8)) {
      sites.insert(site);
    }
    EXPECT_THAT(sites, SizeIs(8));
    EXPECT_EQ(most_tuples(grid), 8);
  }
}

TEST(SiteGrid, HasAsManySitesAsThereAreTuples) {
  for (const SiteGrid& grid : site_grids({dim("i", 3, 1)}, 8, 100)) {
    EXPECT_THAT(grid, ElementsAre(GridDim{1, 3, 1}));
  }
  EXPECT_THAT(site_grids({}, 8, 100), ElementsAre(SiteGrid{}));
}

TEST(SiteGrid, AnOperandIsCopiedAlongWhatItLacks) {
  const std::vector<tra::KeyDim> key = {dim("i", 4, 1), dim("k", 4, 1)};
  const SiteGrid grid = {{2, 2, 4}, {4, 1, 0}, {1, 4, 1}};  // i, j, k
  const Footprint footprint = footprint_of(grid, {0, 1});
  EXPECT_EQ(footprint.num_sites(), 4);
  EXPECT_EQ(ia::sites_of(one_of(footprint, key), key, 8),
            (std::vector<int32_t>{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7}));
  const ia::SiteSets sets = ia::site_sets_of(copies_on(footprint, key, 8), key, 8);
  EXPECT_THAT(sets.of(0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sets.of(15), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(copies_on(footprint_of({{1, 4, 1}}, {}), {}, 4), ia::Placement(ia::Everywhere{}));
}

/// Four sites have the same 2 x 2 tuples to do with: each begins with one of them.
TEST(SiteGrid, OneCopyLiesOnAllSitesThatNeedIt) {
  const std::vector<tra::KeyDim> key = {dim("i", 4, 1), dim("k", 4, 1)};
  const SiteGrid grid = {{2, 2, 8}, {2, 2, 4}, {1, 4, 1}};  // i, k, j
  EXPECT_EQ(ia::sites_of(one_of(footprint_of(grid, {0, 1}), key), key, 16),
            (std::vector<int32_t>{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15}));
  for (const auto& [rows, columns] : {std::pair(6, 1), std::pair(3, 2), std::pair(1, 12)}) {
    const std::vector<tra::KeyDim> some = {dim("i", rows, 1), dim("k", columns, 1)};
    std::map<int32_t, int> tuples;
    for (const int32_t site : ia::sites_of(
             one_of(footprint_of({{rows, 1, 0}, {columns, 1, 0}, {1, 6, 1}}, {0, 1}), some), some,
             6)) {
      ++tuples[site];
    }
    EXPECT_THAT(tuples, SizeIs(6)) << rows << " x " << columns;
  }
}

/// The sites of the footprint of the tuple that holds a position.
std::set<int64_t> sites_at(const Footprint& footprint, const std::vector<tra::KeyDim>& key,
                           const std::vector<int64_t>& position) {
  std::set<int64_t> sites = {0};
  for (size_t number = 0; number < key.size(); ++number) {
    const GridDim& own = footprint.dims[number];
    const int64_t part = piece_at(*tra::grid_of(key[number]), position[number]) / own.block;
    std::set<int64_t> moved;
    for (const int64_t site : sites) {
      moved.insert(site + own.stride * part);
    }
    sites = std::move(moved);
  }
  for (const GridDim& rest : footprint.rest) {
    std::set<int64_t> more;
    for (const int64_t site : sites) {
      for (int64_t part = 0; part < rest.parts; ++part) {
        more.insert(site + rest.stride * part);
      }
    }
    sites = std::move(more);
  }
  return sites;
}

TEST(SiteGrid, CountsWhatMovesAsElementsDo) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t below) {
    return static_cast<int64_t>(random() % static_cast<uint32_t>(below));
  };
  const auto drawn_footprint = [&](const std::vector<tra::KeyDim>& key) {
    std::vector<tra::KeyDim> all = key;
    all.push_back(dim("k", 6, 1));
    const std::vector<SiteGrid> grids = site_grids(all, 2 + draw(11), 100);
    return footprint_of(grids[static_cast<size_t>(draw(static_cast<int64_t>(grids.size())))],
                        {0, 1});
  };
  for (int round = 0; round < 300; ++round) {
    const int64_t rows = 1 + draw(12);
    const int64_t columns = 1 + draw(12);
    const std::vector<tra::KeyDim> from_key = {dim("i", rows, 1 + draw(4)),
                                               dim("j", columns, 1 + draw(4))};
    const std::vector<tra::KeyDim> to_key = {dim("i", rows, 1 + draw(4)),
                                             dim("j", columns, 1 + draw(4))};
    const Footprint from = drawn_footprint(from_key);
    const Footprint to = drawn_footprint(to_key);
    double moved = 0;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const std::set<int64_t> there = sites_at(from, from_key, {i, j});
        const std::set<int64_t> needed = sites_at(to, to_key, {i, j});
        double common = 0;
        for (const int64_t site : needed) {
          common += static_cast<double>(there.count(site));
        }
        moved += static_cast<double>(needed.size()) - common / static_cast<double>(there.size());
      }
    }
    EXPECT_NEAR(moved_share(from, from_key, to, to_key),
                moved / static_cast<double>(rows * columns), 1e-9)
        << "round " << round;
  }
}

}  // namespace
}  // namespace tessera::placement::site_grid_test

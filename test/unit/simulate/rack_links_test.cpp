#include "simulate/rack_links.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "unit/simulate/workloads.h"

namespace tessera::simulate::rack_links_test {
namespace {

constexpr double kExact = 1e-9;

/// Goes on until nothing moves; when each move has ended.
std::map<int64_t, double> ends_of(RackLinks& links) {
  std::map<int64_t, double> ends;
  std::vector<int64_t> ended;
  while (std::isfinite(links.next_change())) {
    const double now = links.next_change();
    ended.clear();
    links.advance(now, ended);
    for (const int64_t activity : ended) {
      ends[activity] = now;
    }
  }
  return ends;
}

/// Two sites a rack, links of 1e9, no latency.
Cluster racks_of_two(size_t num_sites, double rack_bytes_per_second) {
  Cluster cluster = plain_cluster(num_sites, 1);
  cluster.network.latency_seconds = 0;
  cluster.network.sites_per_rack = 2;
  cluster.network.rack_bytes_per_second = rack_bytes_per_second;
  return cluster;
}

TEST(RackLinks, MoveTakesItsLatencyAndItsBytes) {
  Cluster cluster = racks_of_two(4, 1e9);
  cluster.network.latency_seconds = 0.25;
  RackLinks links(cluster);
  links.start(7, 0, 2, 1e9, 1);
  EXPECT_EQ(links.next_change(), 1.25);
  EXPECT_NEAR(ends_of(links).at(7), 2.25, kExact);
}

TEST(RackLinks, LinkIsSharedBetweenTheMovesThatRemain) {
  const Cluster cluster = racks_of_two(4, 1e9);
  RackLinks links(cluster);
  links.start(0, 0, 2, 1e9, 0);
  links.start(1, 1, 3, 0.25e9, 0);
  const std::map<int64_t, double> ends = ends_of(links);
  EXPECT_NEAR(ends.at(1), 0.5, kExact);
  EXPECT_NEAR(ends.at(0), 1.25, kExact);
}

TEST(RackLinks, WhatOneMoveCannotUseOthersHave) {
  // Site 4 takes a quarter of what site 0 could send, so site 0 sends the more to another rack.
  Cluster cluster = racks_of_two(6, 1.5e9);
  cluster.sites[4].link_bytes_per_second = 0.25e9;
  RackLinks links(cluster);
  links.start(0, 0, 4, 0.25e9, 0);  // the link into site 4
  links.start(1, 0, 2, 0.75e9, 0);  // what is left of the links out of site 0 and rack 0
  links.start(2, 1, 3, 0.5e9, 0);   // half of the link out of site 1
  links.start(3, 1, 0, 0.5e9, 0);   // the other half
  for (const auto& [activity, end] : ends_of(links)) {
    EXPECT_NEAR(end, 1, kExact) << activity;
  }
}

TEST(RackLinks, MovesThatEndTogetherEndInTheOrderOfTheirStarts) {
  const Cluster cluster = racks_of_two(4, 1e9);
  RackLinks links(cluster);
  for (const int64_t activity : {5, 3, 8}) {
    links.start(activity, 0, 2, 1e9, 0);
  }
  std::vector<int64_t> ended;
  links.advance(links.next_change(), ended);
  EXPECT_TRUE(ended.empty());
  links.advance(links.next_change(), ended);
  EXPECT_EQ(ended, (std::vector<int64_t>{5, 3, 8}));
  EXPECT_TRUE(std::isinf(links.next_change()));
}

TEST(RackLinks, LateInALongSimulationTimeGoesOn) {
  const Cluster cluster = racks_of_two(4, 1e9);
  RackLinks links(cluster);
  links.start(0, 0, 2, 1e9 / 3, 1e9);
  links.start(1, 1, 3, 1e9 / 7, 1e9);
  EXPECT_EQ(ends_of(links).size(), 2);
}

}  // namespace
}  // namespace tessera::simulate::rack_links_test

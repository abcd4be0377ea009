#include "simulate/simulation.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "unit/simulate/workloads.h"

namespace tessera::simulate::simulation_test {
namespace {

constexpr double kExact = 1e-9;

TEST(Simulation, IsAChainOfComputingMovingAndComputing) {
  WorkloadBuilder work(2);
  const ActivityId first = work.compute(0, 2);
  const ActivityId moved = work.move(0, 1, 1e9, {first});
  work.compute(1, 3, {moved});
  const Simulation simulation = simulate(work.build(), plain_cluster(2, 1));
  EXPECT_NEAR(simulation.makespan, 2 + 1 + 1e-3 + 3, kExact);
  EXPECT_EQ(simulation.moved_bytes, 1e9);
  EXPECT_EQ(simulation.sites[0].bytes_out, 1e9);
  EXPECT_EQ(simulation.sites[1].bytes_in, 1e9);
  const CriticalPath& path = simulation.critical_path;
  EXPECT_EQ(path.activities.size(), 3);
  EXPECT_NEAR(path.seconds[static_cast<size_t>(ActivityKind::compute)], 5, kExact);
  EXPECT_NEAR(path.seconds[static_cast<size_t>(ActivityKind::move)], 1.001, kExact);
  EXPECT_NEAR(path.waiting_for_core_seconds, 0, kExact);
  EXPECT_NEAR(simulation.bounds.critical_path, simulation.makespan, kExact);
}

TEST(Simulation, OneIsAddedBehindAnother) {
  WorkloadBuilder work(2);
  work.move(0, 1, 1e9, {work.compute(0, 2)});
  Simulation whole = simulate(work.build(), plain_cluster(2, 1));
  const Simulation part = whole;
  append(whole, part);
  EXPECT_NEAR(whole.makespan, 2 * (2 + 1.001), kExact);
  EXPECT_NEAR(whole.played.periods[2].start, 3.001, kExact);
  EXPECT_EQ(whole.moved_bytes, 2e9);
  EXPECT_EQ(whole.num_moves, 2);
  EXPECT_EQ(whole.sites[0].num_activities, 2);
  EXPECT_NEAR(whole.sites[0].busy_seconds[static_cast<size_t>(ActivityKind::compute)], 4, kExact);
  EXPECT_EQ(whole.sites[1].bytes_in, 2e9);
  ASSERT_EQ(whole.critical_path.activities.size(), 4);
  EXPECT_EQ(whole.critical_path.activities[2], ActivityId(2));
  EXPECT_NEAR(whole.bounds.critical_path, 2 * part.bounds.critical_path, kExact);
}

TEST(Simulation, MovesFromOneSiteShareItsLink) {
  WorkloadBuilder work(3);
  work.move(0, 1, 1e9);
  work.move(0, 2, 1e9);
  EXPECT_NEAR(simulate(work.build(), plain_cluster(3, 1)).makespan, 2.001, kExact);
}

TEST(Simulation, MovesBothWaysDoNot) {
  WorkloadBuilder work(2);
  work.move(0, 1, 1e9);
  work.move(1, 0, 1e9);
  EXPECT_NEAR(simulate(work.build(), plain_cluster(2, 1)).makespan, 1.001, kExact);
}

TEST(Simulation, SlowerOfTwoLinksSaysHowFastAMoveIs) {
  WorkloadBuilder work(2);
  work.move(0, 1, 1e9);
  Cluster cluster = plain_cluster(2, 1);
  cluster.sites[1].link_bytes_per_second = 0.5e9;
  EXPECT_NEAR(simulate(work.build(), cluster).makespan, 2.001, kExact);
}

TEST(Simulation, HeadersTakeTheirShareOfALink) {
  WorkloadBuilder work(2);
  work.move(0, 1, 1e9);
  Cluster cluster = plain_cluster(2, 1);
  cluster.network.efficiency = 0.5;
  EXPECT_NEAR(simulate(work.build(), cluster).makespan, 2.001, kExact);
}

TEST(Simulation, MovesAtOnceAreBounded) {
  WorkloadBuilder work(4);
  for (int32_t to = 1; to < 4; ++to) {
    work.move(0, to, 1e9);
  }
  Cluster cluster = plain_cluster(4, 1);
  cluster.network.moves_at_once = 1;
  const Simulation simulation = simulate(work.build(), cluster);
  EXPECT_NEAR(simulation.makespan, 3.003, kExact);
  EXPECT_NEAR(simulation.critical_path.waiting_for_link_seconds, 2.002, kExact);
}

TEST(Simulation, SitesOfDifferentRacksShareTheRacksLink) {
  Cluster cluster = plain_cluster(4, 1);
  cluster.network.sites_per_rack = 2;
  cluster.network.rack_bytes_per_second = 1e9;
  WorkloadBuilder apart(4);
  apart.move(0, 2, 1e9);
  apart.move(1, 3, 1e9);
  const Simulation shared = simulate(apart.build(), cluster);
  EXPECT_NEAR(shared.makespan, 2.001, kExact);
  EXPECT_NEAR(shared.bounds.busiest_link, 2, kExact);
  WorkloadBuilder beside(4);
  beside.move(0, 1, 1e9);
  beside.move(2, 3, 1e9);
  EXPECT_NEAR(simulate(beside.build(), cluster).makespan, 1.001, kExact);
}

/// Computing and moves of drawn lengths between sites whose links differ.
Workload drawn_moves(int32_t num_sites, std::mt19937& random) {
  std::uniform_int_distribution<int32_t> site(0, num_sites - 1);
  std::uniform_real_distribution<double> bytes(1e5, 1e8);
  WorkloadBuilder work(num_sites);
  std::vector<ActivityId> results;
  for (int number = 0; number < 200; ++number) {
    const int32_t from = site(random);
    const int32_t to = (from + 1 + site(random) % (num_sites - 1)) % num_sites;
    std::vector<ActivityId> after;
    if (number > 10) {
      after.push_back(results[results.size() - 1 - random() % 10]);
    }
    results.push_back(work.compute(from, bytes(random) / 1e9, after));
    results.push_back(work.move(from, to, std::floor(bytes(random)), {results.back()}));
  }
  return work.build();
}

TEST(Simulation, OneRackIsOneSwitch) {
  // The links of racks are shared here, those of a switch by SimGrid.
  std::mt19937 random(1);
  for (const int32_t num_sites : {2, 5, 9}) {
    const Workload work = drawn_moves(num_sites, random);
    Cluster cluster = plain_cluster(static_cast<size_t>(num_sites), 1);
    for (ClusterSite& site : cluster.sites) {
      site.link_bytes_per_second = 1e8 * static_cast<double>(1 + random() % 10);
    }
    const Simulation under_a_switch = simulate(work, cluster);
    cluster.network.sites_per_rack = num_sites;
    cluster.network.rack_bytes_per_second = 1;
    const Simulation in_a_rack = simulate(work, cluster);
    for (size_t activity = 0; activity < work.activities.size(); ++activity) {
      EXPECT_NEAR(in_a_rack.played.periods[activity].end,
                  under_a_switch.played.periods[activity].end, 1e-8)
          << activity << " of " << num_sites << " sites";
    }
  }
}

TEST(Simulation, TimesMayHaveAnyUnit) {
  // What takes a microsecond here takes ten days there, on one switch and in racks.
  for (const int64_t per_rack : {0, 2}) {
    const auto makespan_of = [&](double unit) {
      std::mt19937 random(7);
      std::uniform_real_distribution<double> seconds(1e-6, 1);
      WorkloadBuilder work(5);
      for (int number = 0; number < 60; ++number) {
        const auto site = static_cast<int32_t>(random() % 5);
        const ActivityId made = work.compute(site, unit * seconds(random));
        ActivityInfo delayed;
        delayed.kind = ActivityKind::move;
        delayed.from = site;
        delayed.site = (site + 1) % 5;
        delayed.delay_seconds = unit * seconds(random);
        const ActivityId moved = work.add(delayed, {made});
        work.compute(delayed.site, unit * seconds(random), {moved});
        work.move(site, (site + 2) % 5, 1e9 * seconds(random), {made});
      }
      Cluster cluster = plain_cluster(5, 1);
      cluster.network.latency_seconds *= unit;
      cluster.network.efficiency = 1 / unit;
      cluster.network.sites_per_rack = per_rack;
      cluster.network.rack_bytes_per_second = 1e9;
      return simulate(work.build(), cluster).makespan;
    };
    const double unit = std::ldexp(1, 40);
    EXPECT_NEAR(makespan_of(unit) / unit, makespan_of(1), kExact);
  }
}

TEST(Simulation, MoveBetweenRacksAloneTakesTheRacksLink) {
  Cluster cluster = plain_cluster(2, 1);
  cluster.network.sites_per_rack = 1;
  cluster.network.rack_bytes_per_second = 0.5e9;
  WorkloadBuilder work(2);
  work.move(0, 1, 1e9);
  const Simulation simulation = simulate(work.build(), cluster);
  EXPECT_NEAR(simulation.makespan, 2.001, kExact);
  EXPECT_NEAR(simulation.bounds.critical_path, 2.001, kExact);
}

TEST(Simulation, MovesInRacksPageFirst) {
  Cluster cluster = plain_cluster(2, 1);
  cluster.network.sites_per_rack = 1;
  cluster.network.rack_bytes_per_second = 1e9;
  cluster.sites[1].memory_bytes = 500'000'000;
  WorkloadBuilder work(2);
  work.tile(1, 1'000'000'000, {work.move(0, 1, 1e9)});
  const Simulation simulation = simulate(work.build(), cluster);
  EXPECT_EQ(simulation.sites[1].paged_bytes, 500'000'000);
  EXPECT_NEAR(simulation.makespan, 0.5 + 0.5 + 1.001, kExact);
}

/// Sites whose cores each send or receive so many bytes a second.
Cluster cluster_of_senders(size_t num_sites, int32_t cores, double rate) {
  Cluster cluster = plain_cluster(num_sites, cores);
  for (ClusterSite& site : cluster.sites) {
    site.core_link_bytes_per_second = rate;
  }
  return cluster;
}

double core_seconds_of_moves(const SiteFigures& site) {
  return site.busy_seconds[static_cast<size_t>(ActivityKind::move)];
}

TEST(Simulation, MoveTakesACoreAtEitherEndWhileItIsOnItsWay) {
  WorkloadBuilder work(2);
  work.move(0, 1, 1e9);
  const Simulation quick = simulate(work.build(), cluster_of_senders(2, 1, 4e9));
  EXPECT_NEAR(quick.makespan, 1.001, kExact);
  Cluster one_slow = cluster_of_senders(2, 1, 4e9);
  one_slow.sites[1].core_link_bytes_per_second = 0.5e9;
  const Simulation slow = simulate(work.build(), one_slow);
  EXPECT_NEAR(slow.makespan, 2, kExact);
  EXPECT_NEAR(slow.bounds.critical_path, 2, kExact);
  EXPECT_NEAR(core_seconds_of_moves(slow.sites[0]), 0.25, kExact);
  EXPECT_NEAR(core_seconds_of_moves(slow.sites[1]), 2, kExact);
  EXPECT_NEAR(slow.sites[1].core_seconds, 2, kExact);
}

TEST(Simulation, MoveHasAnOverheadAtEitherEndHoweverSmall) {
  Cluster cluster = plain_cluster(2, 1);
  cluster.sites[0].move_overhead_seconds = 0.25;
  cluster.sites[1].move_overhead_seconds = 0.5;
  WorkloadBuilder work(2);
  for (int number = 0; number < 4; ++number) {
    work.move(0, 1, 1);
  }
  const Simulation simulation = simulate(work.build(), cluster);
  EXPECT_NEAR(simulation.makespan, 4 * 0.5, kExact);  // as many as a core does one after the other
  EXPECT_NEAR(simulation.bounds.busiest_cores, 4 * 0.5, kExact);
  EXPECT_NEAR(core_seconds_of_moves(simulation.sites[0]), 4 * 0.25, kExact);
  EXPECT_NEAR(core_seconds_of_moves(simulation.sites[1]), 4 * 0.5, kExact);
}

TEST(Simulation, MovesAndTasksShareTheCores) {
  WorkloadBuilder work(2);
  work.compute(0, 3);
  work.move(0, 1, 1e9);
  const Simulation simulation = simulate(work.build(), cluster_of_senders(2, 1, 1e9));
  EXPECT_NEAR(simulation.played.periods[1].end, 2, kExact);  // a second at half of a core
  EXPECT_NEAR(simulation.makespan, 4, kExact);
  EXPECT_NEAR(simulation.bounds.busiest_cores, 4, kExact);
  EXPECT_NEAR(simulation.bounds.work, 5.0 / 2, kExact);
  EXPECT_NEAR(simulation.sites[0].core_seconds, 4, kExact);
  const CriticalPath& path = simulation.critical_path;
  EXPECT_NEAR(path.seconds[static_cast<size_t>(ActivityKind::compute)], 3, kExact);
  EXPECT_NEAR(path.slowed_seconds, 1, kExact);
}

TEST(Simulation, MovesTakeIdleCoresFirst) {
  WorkloadBuilder work(2);
  work.compute(0, 3);
  work.move(0, 1, 1e9);
  const Simulation simulation = simulate(work.build(), cluster_of_senders(2, 2, 1e9));
  EXPECT_NEAR(simulation.played.periods[1].end, 1.001, kExact);
  EXPECT_NEAR(simulation.makespan, 3, kExact);
  EXPECT_NEAR(simulation.critical_path.slowed_seconds, 0, kExact);
}

TEST(Simulation, MovesBetweenRacksTakeCoresToo) {
  Cluster cluster = cluster_of_senders(2, 1, 0.25e9);
  cluster.network.sites_per_rack = 1;
  cluster.network.rack_bytes_per_second = 0.5e9;
  WorkloadBuilder work(2);
  work.compute(1, 1, {work.move(0, 1, 1e9)});
  EXPECT_NEAR(simulate(work.build(), cluster).makespan, 4 + 1, kExact);
}

TEST(Simulation, MovesOfGivenLengthTakeNoCore) {
  WorkloadBuilder work(2);
  ActivityInfo delayed;
  delayed.kind = ActivityKind::move;
  delayed.site = 1;
  delayed.bytes = 1e9;
  delayed.delay_seconds = 0.5;
  work.add(delayed, {});
  const Simulation simulation = simulate(work.build(), cluster_of_senders(2, 1, 0.25e9));
  EXPECT_NEAR(simulation.makespan, 0.5, kExact);
  EXPECT_EQ(core_seconds_of_moves(simulation.sites[1]), 0);
}

TEST(Simulation, CoresOfASiteWorkAtOnce) {
  WorkloadBuilder work(1);
  for (int number = 0; number < 3; ++number) {
    work.compute(0, 1);
  }
  const Simulation simulation = simulate(work.build(), plain_cluster(1, 2));
  EXPECT_NEAR(simulation.makespan, 2, kExact);
  EXPECT_NEAR(simulation.critical_path.waiting_for_core_seconds, 1, kExact);
  EXPECT_NEAR(simulation.bounds.work, 1.5, kExact);
}

TEST(Simulation, BarrierEndsWithTheLastThatItWaitsForAndTakesNoCore) {
  WorkloadBuilder work(1);
  const ActivityId first = work.compute(0, 1);
  const ActivityId second = work.compute(0, 2);
  ActivityInfo barrier;
  barrier.kind = ActivityKind::barrier;
  const ActivityId both = work.add(barrier, {first, second});
  work.compute(0, 1, {both});
  work.compute(0, 3);
  const Simulation simulation = simulate(work.build(), plain_cluster(1, 2));
  EXPECT_NEAR(simulation.played.periods[both.index()].end, 2, kExact);
  EXPECT_NEAR(simulation.played.periods[3].end, 3, kExact);
  EXPECT_NEAR(simulation.makespan, 4, kExact);
  EXPECT_NEAR(simulation.bounds.critical_path, 3, kExact);
  EXPECT_EQ(simulation.sites[0].num_activities, 4);
}

TEST(Simulation, FilesShareADisk) {
  WorkloadBuilder work(1);
  work.file(ActivityKind::read, 0, 0.5, 1e9);
  work.file(ActivityKind::read, 0, 0.5, 1e9);
  Cluster cluster = plain_cluster(1, 2);
  EXPECT_NEAR(simulate(work.build(), cluster).makespan, 2.5, kExact);
  cluster.has_results_in_memory = true;
  EXPECT_NEAR(simulate(work.build(), cluster).makespan, 2.5, kExact);
  cluster.has_inputs_in_memory = true;
  EXPECT_NEAR(simulate(work.build(), cluster).makespan, 0, kExact);
}

TEST(Simulation, EarliestThatIsReadyGoesFirst) {
  WorkloadBuilder work(2);
  const ActivityId far = work.compute(1, 5);
  const ActivityId moved = work.move(1, 0, 1e9, {far});
  work.compute(0, 1, {moved});
  work.compute(0, 4);
  const Simulation as_run = simulate(work.build(), plain_cluster(2, 1));
  EXPECT_NEAR(as_run.makespan, 7.001, kExact);
  Workload in_order = work.build();
  in_order.keeps_order = true;
  EXPECT_NEAR(simulate(in_order, plain_cluster(2, 1)).makespan, 11.001, kExact);
}

TEST(Simulation, TilesAreHeldFromTheFirstTouchToTheLast) {
  WorkloadBuilder work(2);
  const ActivityId made = work.compute(0, 1);
  const ActivityId moved = work.move(0, 1, 1e9, {made});
  const ActivityId used = work.compute(1, 1, {moved});
  const ActivityId later = work.compute(0, 1, {moved});
  work.tile(0, 100, {made, moved});
  work.tile(1, 100, {moved, used});
  work.tile(1, 20, {used});
  work.tile(0, 7, {later});
  const Simulation simulation = simulate(work.build(), plain_cluster(2, 1));
  EXPECT_EQ(simulation.sites[0].peak_bytes, 100);
  EXPECT_EQ(simulation.sites[1].peak_bytes, 120);
}

Cluster small_memory(int64_t bytes) {
  Cluster cluster = plain_cluster(2, 2);
  for (ClusterSite& site : cluster.sites) {
    site.memory_bytes = bytes;
  }
  return cluster;
}

TEST(Simulation, WhatIsBeyondTheMemoryIsWrittenAndReadAgain) {
  WorkloadBuilder work(1);
  const ActivityId first = work.compute(0, 1);
  const ActivityId second = work.compute(0, 1, {first});
  const ActivityId both = work.compute(0, 1, {second});
  work.tile(0, 800'000'000, {first, both});
  work.tile(0, 700'000'000, {second, both});
  const Simulation simulation = simulate(work.build(), small_memory(1'000'000'000));
  EXPECT_NEAR(simulation.makespan, 1 + (0.5 + 0.5 + 1) + 1, kExact);
  EXPECT_EQ(simulation.sites[0].paged_bytes, 500'000'000);
  EXPECT_EQ(simulation.sites[0].peak_bytes, 1'500'000'000);
}

TEST(Simulation, ReadsAndMovesWaitForMemory) {
  // Two tiles of 600 MB are used one after the other: the second comes when the first is gone.
  for (const bool are_moves : {false, true}) {
    WorkloadBuilder work(2);
    for (int number = 0; number < 2; ++number) {
      const ActivityId brought =
          are_moves ? work.move(1, 0, 6e8) : work.file(ActivityKind::read, 0, 0, 6e8);
      const ActivityId used = work.compute(0, 1, {brought});
      work.tile(0, 600'000'000, {brought, used});
    }
    const Workload built = work.build();
    const double latency = are_moves ? 1e-3 : 0;
    EXPECT_NEAR(simulate(built, small_memory(1'000'000'000)).makespan, 2 * (0.6 + latency + 1),
                kExact);
    EXPECT_NEAR(simulate(built, small_memory(2'000'000'000)).makespan, 2 * 0.6 + latency + 1,
                kExact);
  }
}

/// Work that no one chose: chains of computing and moving, drawn.
Workload drawn(uint32_t seed, int32_t num_sites) {
  std::mt19937 random(seed);
  WorkloadBuilder work(num_sites);
  std::vector<ActivityId> made;
  std::vector<int32_t> at;
  for (int number = 0; number < 200; ++number) {
    const auto site = static_cast<int32_t>(random() % static_cast<uint32_t>(num_sites));
    std::vector<ActivityId> after;
    if (!made.empty() && random() % 4 != 0) {
      const size_t before = random() % made.size();
      after.push_back(made[before]);
      if (at[before] != site) {
        after = {work.move(at[before], site, 1e6 * static_cast<double>(1 + random() % 900), after)};
      }
    }
    made.push_back(work.compute(site, 1e-3 * static_cast<double>(random() % 1000), after));
    at.push_back(site);
  }
  return work.build();
}

TEST(Simulation, NothingIsQuickerThanTheBounds) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const int32_t num_sites = 2 + static_cast<int32_t>(seed % 5);
    const Cluster cluster =
        cluster_of_senders(static_cast<size_t>(num_sites), static_cast<int32_t>(1 + seed % 3),
                           0.25e9 * static_cast<double>(1 + seed % 8));
    const Simulation simulation = simulate(drawn(seed, num_sites), cluster);
    EXPECT_LE(simulation.bounds.largest(), simulation.makespan * (1 + kExact)) << seed;
    EXPECT_GT(simulation.bounds.largest(), 0) << seed;
  }
}

/// The drawn work, every result held until all that use it have ended.
TEST(Simulation, EndsHoweverLittleMemoryThereIs) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    WorkloadBuilder work(3);
    std::mt19937 random(seed);
    for (int number = 0; number < 60; ++number) {
      const auto to = static_cast<int32_t>(random() % 3);
      const ActivityId read = work.file(ActivityKind::read, to, 0.01, 1e6);
      const ActivityId moved = work.move(to, (to + 1) % 3, 1e6, {read});
      const ActivityId used = work.compute((to + 1) % 3, 0.1, {moved});
      work.tile(to, 1'000'000, {read, moved});
      work.tile((to + 1) % 3, 1'000'000, {moved, used});
    }
    Cluster cluster = plain_cluster(3, 2);
    for (ClusterSite& site : cluster.sites) {
      site.memory_bytes = 1'500'000;
    }
    const Simulation simulation = simulate(work.build(), cluster);
    EXPECT_GE(simulation.makespan, simulation.bounds.largest()) << seed;
  }
}

TEST(Simulation, CriticalPathFillsTheMakespan) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    const Simulation simulation = simulate(drawn(seed, 3), cluster_of_senders(3, 2, 0.5e9));
    const CriticalPath& path = simulation.critical_path;
    EXPECT_GT(path.slowed_seconds, 0) << seed;
    double total =
        path.slowed_seconds + path.waiting_for_core_seconds + path.waiting_for_link_seconds;
    for (const double seconds : path.seconds) {
      total += seconds;
    }
    EXPECT_NEAR(total, simulation.makespan, kExact) << seed;
  }
}

TEST(Simulation, IsTheSameEveryTime) {
  const Workload work = drawn(7, 4);
  const Simulation once = simulate(work, plain_cluster(4, 2));
  const Simulation again = simulate(work, plain_cluster(4, 2));
  for (size_t number = 0; number < once.played.periods.size(); ++number) {
    EXPECT_EQ(once.played.periods[number].start, again.played.periods[number].start);
    EXPECT_EQ(once.played.periods[number].end, again.played.periods[number].end);
  }
}

}  // namespace
}  // namespace tessera::simulate::simulation_test

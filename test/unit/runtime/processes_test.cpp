#include <exception>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "drawn_plan.h"
#include "net/loopback.h"
#include "plan/site_tasks.h"
#include "runtime/threads/schedule.h"
#include "two_site_plan.h"

/// Plans of two sites whose tasks are run apart, over a link.
namespace tessera::runtime::processes_test {
namespace {

using plan::TaskKind;
using testing::ElementsAre;
using testing::HasSubstr;

const Registries& known() {
  static const Registries registries;
  return registries;
}

plan::TaskGraph two_sites() {
  return plan::parse_graph({"plan.tasks", kTwoSitePlan}, known().functions, known().aggregates);
}

plan::SiteTasks tasks_of(int64_t site) {
  return plan::tasks_of_site(two_sites(), plan::SiteId(site));
}

std::vector<TaskKind> kinds_of(const plan::TaskGraph& graph) {
  std::vector<TaskKind> kinds;
  for (const plan::TaskInfo& task : graph.tasks) {
    kinds.push_back(task.kind);
  }
  return kinds;
}

TEST(Processes, ASiteHasItsTasksAndItsHalvesOfMoves) {
  const plan::SiteTasks first = tasks_of(0);
  EXPECT_THAT(kinds_of(first.graph),
              ElementsAre(TaskKind::read_source, TaskKind::send, TaskKind::compute, TaskKind::send,
                          TaskKind::receive, TaskKind::compute, TaskKind::write_sink));
  EXPECT_EQ(first.of_plan[4], plan::TaskId(5));
  EXPECT_EQ(first.graph.tasks[1].peer, plan::SiteId(1));
  EXPECT_EQ(first.graph.sources.size(), 1U);
  EXPECT_EQ(first.graph.sinks.size(), 1U);

  const plan::SiteTasks second = tasks_of(1);
  EXPECT_THAT(kinds_of(second.graph),
              ElementsAre(TaskKind::receive, TaskKind::receive, TaskKind::compute, TaskKind::send));
  EXPECT_EQ(second.graph.tasks[0].peer, plan::SiteId(0));
  EXPECT_TRUE(second.graph.sources.empty());
  EXPECT_TRUE(second.graph.sinks.empty());
  EXPECT_EQ(second.graph.at(second.graph.tasks[0].outputs[0].tile).last_use, plan::TaskId(2));
  EXPECT_EQ(second.graph.proof().smallest_budget, 704);
}

TEST(Processes, ASitePrintsItsHalvesAndNobodyRunsThemAlone) {
  const std::string text = to_text(describe(tasks_of(1).graph, known().aggregates));
  EXPECT_THAT(text, HasSubstr("%0 = receive peer=s0 out=(t0) bytes=64"));
  EXPECT_THAT(text, HasSubstr("%3 = send(t2) peer=s0 bytes=64"));
  try {
    plan::parse_graph({"site.tasks", text}, known().functions, known().aggregates);
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("it is half of a move; a plan has whole ones"));
  }
}

TEST(Schedule, SendsWaitForOffersAndKeepTheirOrder) {
  const plan::SiteTasks site = tasks_of(0);
  Schedule schedule(site.graph, 704, 1);
  const Action read = schedule.next_for_worker();
  schedule.finish(read);
  EXPECT_EQ(schedule.next_for_link().kind, Action::Kind::nothing);  // nothing is offered
  const Action compute = schedule.next_for_worker();
  EXPECT_EQ(site.graph.tasks[compute.task.index()].kind, TaskKind::compute);
  schedule.finish(compute);
  EXPECT_FALSE(schedule.is_stuck());
  schedule.offered(plan::SiteId(1), 2);
  const Action first = schedule.next_for_link();
  EXPECT_EQ(first.task, plan::TaskId(1));
  EXPECT_EQ(schedule.next_for_link().kind, Action::Kind::nothing);  // not before that is posted
  schedule.posted(first.task);
  EXPECT_EQ(schedule.next_for_link().task, plan::TaskId(3));
}

TEST(Schedule, WhatIsOfferedAheadLeavesRoomForTheLargestTask) {
  const plan::SiteTasks site = tasks_of(1);
  Schedule tight(site.graph, 704, 1);
  const Action head = tight.next_for_link();  // offered though it takes room: it is the head
  EXPECT_EQ(head.task, plan::TaskId(0));
  tight.posted(head.task);
  const Action next_head = tight.next_for_link();
  EXPECT_EQ(next_head.task, plan::TaskId(1));

  // A receive behind a computation that has not started.
  const plan::SiteTasks other = tasks_of(0);
  Schedule no_room(other.graph, 704, 1);
  EXPECT_EQ(no_room.next_for_link().kind, Action::Kind::nothing);
  Schedule room(other.graph, 704 + 64, 1);
  EXPECT_EQ(room.next_for_link().task, plan::TaskId(4));
}

/// What each of the two sites threw, empty where it ran, with Y in `y`.
std::vector<std::string> run_both(store::MemoryTensor& y, const store::TileSource& x,
                                  std::vector<int64_t> budgets) {
  const std::vector<std::unique_ptr<net::Link>> links =
      net::make_loopback(2, {std::chrono::microseconds(50), 7});
  std::vector<std::string> errors(2);
  std::vector<std::jthread> threads;
  for (size_t site = 0; site < 2; ++site) {
    threads.emplace_back([&, site] {
      const plan::SiteTasks tasks = tasks_of(static_cast<int64_t>(site));
      store::TileStore store(budgets[site]);
      RunContext context{{&store}, known().context, {{"X", &x}}, {{"Y", &y}}};
      context.link = links[site].get();
      try {
        make_threads_executor({2, testing::TempDir()})->run(tasks.graph, context);
      } catch (const Error& error) {
        errors[site] = error.message();
      }
      EXPECT_EQ(store.usage().in_use, 0);
    });
  }
  threads.clear();
  return errors;
}

TEST(Processes, TwoSitesMakeTheResultOfOneInTheSmallestBudget) {
  store::MemoryTensor x({DType::i64, {8}});
  store::MemoryTensor y({DType::i64, {8}});
  std::iota(x.view().as<int64_t>(), x.view().as<int64_t>() + 8, 1);
  EXPECT_THAT(run_both(y, x, {704, 704}), ElementsAre("", ""));
  EXPECT_THAT(std::vector(y.view().as<int64_t>(), y.view().as<int64_t>() + 8),
              ElementsAre(5, 10, 15, 20, 25, 30, 35, 40));
}

/// A source whose disk fails.
class Broken : public store::TileSource {
 public:
  ArrayType type() const override { return {DType::i64, {8}}; }
  void read(const TileView&) const override {
    throw_error(ErrorKind::resource, "the disk is gone");
  }
};

TEST(Processes, AFailureOfOneIsThatOfAll) {
  store::MemoryTensor y({DType::i64, {8}});
  const std::vector<std::string> errors = run_both(y, Broken(), {704, 704});
  EXPECT_THAT(errors[0], HasSubstr("the disk is gone"));
  EXPECT_THAT(errors[1], HasSubstr("process 0 failed: the disk is gone"));
}

/// A source whose numbers are wrong, wherever they are read.
class Wrong : public Broken {
 public:
  void read(const TileView&) const override {
    throw_error(ErrorKind::user, "an index of X is 9, but X has the positions 0 to 7");
  }
};

TEST(Processes, AnErrorOfTheDataIsTheSameOnAll) {
  store::MemoryTensor y({DType::i64, {8}});
  const std::vector<std::string> errors = run_both(y, Wrong(), {704, 704});
  EXPECT_THAT(errors, testing::Each("an index of X is 9, but X has the positions 0 to 7"));
}

}  // namespace
}  // namespace tessera::runtime::processes_test

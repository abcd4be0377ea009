#include "simulate/costs/placements.h"

#include <algorithm>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "simulate/simulation.h"
#include "unit/simulate/workloads.h"

namespace tessera::simulate::placements_test {
namespace {

using testing::HasSubstr;

CostGraph parsed(const std::string& text) {
  return parse_cost_graph({"graph.json", text});
}

std::string message_of(const std::string& text) {
  try {
    parsed(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CostGraph, IsReadInTheOrderOfItsInputs) {
  const CostGraph graph = parsed(R"({"sites": 2, "tasks": [
      {"name": "end", "seconds": 3, "inputs": [1, 1]},
      {"name": "begin", "seconds": 2, "move_seconds": 0.5, "site": 1}]})");
  ASSERT_EQ(graph.tasks.size(), 2);
  EXPECT_EQ(graph.num_sites, 2);
  EXPECT_EQ(graph.tasks[0].name, "begin");
  EXPECT_EQ(graph.tasks[0].move_seconds, 0.5);
  EXPECT_EQ(graph.tasks[0].site, 1);
  EXPECT_EQ(graph.tasks[1].inputs, std::vector<int64_t>{0});
}

TEST(CostGraph, SaysWhatIsWrong) {
  EXPECT_THAT(message_of("{\"tasks\": [,]}"), HasSubstr("graph.json:1:12: error: this is no JSON"));
  EXPECT_THAT(message_of("[]"),
              HasSubstr("graph.json:1:1: error: a graph with costs is an object"));
  EXPECT_THAT(message_of(R"({"tasks": [{"name": "a"}]})"),
              HasSubstr("tasks[0] does not say its seconds"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": -1}]})"), HasSubstr("tasks[0].seconds"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": 1, "inputs": [3]}]})"),
              HasSubstr("tasks[0].inputs holds 3"));
  EXPECT_THAT(
      message_of("{\"tasks\": [{\"seconds\": 1, \"name\": \"]\\\"tasks\", \"inputs\": []},\n {}]}"),
      HasSubstr("graph.json:2:2: error: tasks[1] does not say its seconds"));
  EXPECT_THAT(message_of("{\"tasks\": [{\"seconds\": 1, \"name\": \"b\\\"ytes\"}],\n"
                         " \"b\\u0079tes\": 3}"),
              HasSubstr("graph.json:2:2: error: a graph has no member bytes; there are tasks and "
                        "sites"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": 1e999}]})"), HasSubstr("too large to read"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": 1},)"
                         "\n"
                         R"( {"seconds": 1, "name": "seconds", "s\u0065conds" : 2}]})"),
              HasSubstr("graph.json:2:36: error: this object has \"s\\u0065conds\" twice"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": 1}], "sites": 1000000000})"),
              HasSubstr("sites is a whole number from 1 to 65536, not 1000000000"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": 1, "inputs": 3}]})"),
              HasSubstr("tasks[0].inputs is an array, not 3"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": 1, "flops": 3}]})"), HasSubstr("member flops"));
  EXPECT_THAT(
      message_of(R"({"tasks": [{"seconds": 1, "inputs": [1]}, {"seconds": 1, "inputs": [0]}]})"),
      HasSubstr("waits for itself"));
  EXPECT_THAT(message_of(R"({"tasks": [{"seconds": 1, "bytes": 1, "move_seconds": 1}]})"),
              HasSubstr("both move_seconds and bytes"));
}

/// Topcuoglu's estimate of a fork: two tasks of 2 s behind one of 1 s, whose result takes 0.5 s.
CostGraph fork() {
  return parsed(R"({"tasks": [{"seconds": 1, "move_seconds": 0.5},
      {"seconds": 2, "move_seconds": 0.5, "inputs": [0]},
      {"seconds": 2, "move_seconds": 0.5, "inputs": [0]}]})");
}

TEST(Heft, SendsWhatEndsEarlierElsewhere) {
  const CostGraph graph = fork();
  const Cluster cluster = plain_cluster(2, 1);
  const CostModel model(graph, cluster);
  const Schedule schedule = heft(model);
  EXPECT_DOUBLE_EQ(estimated_makespan(model, schedule), 3.5);
  EXPECT_NE(schedule.sites[1], schedule.sites[2]);
  EXPECT_NEAR(simulate(workload_of(model, schedule), cluster).makespan, 3.5, 1e-9);
  EXPECT_DOUBLE_EQ(schedule_bound(model, cluster).critical_path, 3);
  EXPECT_DOUBLE_EQ(schedule_bound(model, cluster).work, 2.5);
}

TEST(Heft, FillsGaps) {
  // The long chain leaves site 1 idle until its second task's input has come.
  const CostGraph graph = parsed(R"({"tasks": [{"seconds": 4, "move_seconds": 9},
      {"seconds": 4, "move_seconds": 9, "inputs": [0]},
      {"seconds": 3, "move_seconds": 9}]})");
  const Cluster cluster = plain_cluster(2, 1);
  const CostModel model(graph, cluster);
  EXPECT_DOUBLE_EQ(estimated_makespan(model, heft(model)), 8);
}

CostGraph drawn(uint32_t seed, int64_t num_tasks) {
  std::mt19937 random(seed);
  CostGraph graph;
  for (int64_t number = 0; number < num_tasks; ++number) {
    CostTask task;
    task.seconds = static_cast<double>(1 + random() % 9);
    task.move_seconds = static_cast<double>(random() % 6);
    for (int64_t input = 0; input < number; ++input) {
      if (random() % 3 == 0) {
        task.inputs.push_back(input);
      }
    }
    graph.tasks.push_back(task);
  }
  return graph;
}

/// The quickest schedule of all: every order and every assignment.
double shortest(const CostModel& model) {
  const size_t num_tasks = model.graph().tasks.size();
  double best = 1e300;
  Schedule schedule;
  schedule.sites.assign(num_tasks, 0);
  std::vector<bool> is_placed(num_tasks, false);
  const std::function<void()> extend = [&] {
    if (schedule.order.size() == num_tasks) {
      best = std::min(best, estimated_makespan(model, schedule));
      return;
    }
    for (size_t task = 0; task < num_tasks; ++task) {
      const std::vector<int64_t>& inputs = model.graph().tasks[task].inputs;
      const bool is_ready =
          !is_placed[task] && std::all_of(inputs.begin(), inputs.end(), [&](int64_t input) {
            return is_placed[static_cast<size_t>(input)];
          });
      if (!is_ready) {
        continue;
      }
      is_placed[task] = true;
      schedule.order.push_back(static_cast<int64_t>(task));
      for (int32_t site = 0; site < model.num_sites(); ++site) {
        schedule.sites[task] = site;
        extend();
      }
      schedule.order.pop_back();
      is_placed[task] = false;
    }
  };
  extend();
  return best;
}

TEST(Search, FindsTheShortestOfFewTasks) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const CostGraph graph = drawn(seed, 6);
    const Cluster cluster = plain_cluster(2, 1);
    const CostModel model(graph, cluster);
    EXPECT_DOUBLE_EQ(estimated_makespan(model, searched(model)), shortest(model)) << seed;
  }
}

TEST(Search, IsNeverSlowerThanHeftNorQuickerThanTheBound) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const CostGraph graph = drawn(seed, 30);
    const Cluster cluster = plain_cluster(3, 1);
    const CostModel model(graph, cluster);
    const Schedule found = searched(model);
    const double seconds = estimated_makespan(model, found);
    EXPECT_LE(seconds, estimated_makespan(model, heft(model))) << seed;
    EXPECT_GE(seconds, schedule_bound(model, cluster).largest()) << seed;
    EXPECT_NEAR(simulate(workload_of(model, found), cluster).makespan, seconds, 1e-9) << seed;
  }
}

TEST(Search, GivesTheSameEveryTime) {
  const CostGraph graph = drawn(3, 20);
  const Cluster cluster = plain_cluster(3, 1);
  const CostModel model(graph, cluster);
  const Schedule once = searched(model);
  const Schedule again = searched(model);
  EXPECT_EQ(once.sites, again.sites);
  EXPECT_EQ(once.order, again.order);
}

TEST(Given, WantsASiteForEveryTask) {
  const CostGraph graph = fork();
  const Cluster cluster = plain_cluster(2, 1);
  EXPECT_THROW(given(CostModel(graph, cluster)), Error);
}

}  // namespace
}  // namespace tessera::simulate::placements_test

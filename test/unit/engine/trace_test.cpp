#include "engine/explain/trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tessera::engine::trace_test {
namespace {

plan::TaskInfo task(plan::TaskKind kind, const std::string& kernel) {
  plan::TaskInfo info;
  info.kind = kind;
  info.kernel = kernel;
  info.origin = Origin{"Y", "p.ein", 3, 1};
  info.flops = 10;
  info.bytes = 100;
  info.seconds = 0.5;
  return info;
}

TEST(Trace, HasABarForEveryTaskAndARowForEveryWorker) {
  plan::TaskGraph graph;
  graph.tasks = {task(plan::TaskKind::read_source, ""), task(plan::TaskKind::compute, "fast"),
                 task(plan::TaskKind::compute, "slow")};
  runtime::RunReport report;
  report.tasks = {{0, 0.25, 0}, {0.5, 1.5, 2}, {2, 0.125, 0}};
  Trace made;
  made.add(graph, report);
  const nlohmann::json trace = nlohmann::json::parse(made.text());
  const nlohmann::json& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 5U);  // three tasks, two workers
  EXPECT_EQ(events[0]["cat"], "read");
  EXPECT_EQ(events[1]["cat"], "fast");
  EXPECT_EQ(events[1]["name"], "Y");
  EXPECT_EQ(events[1]["ph"], "X");
  EXPECT_EQ(events[1]["tid"], 2);
  EXPECT_EQ(events[1]["ts"], 500000);  // microseconds
  EXPECT_EQ(events[1]["dur"], 1500000);
  EXPECT_EQ(events[1]["args"]["task"], 1);
  EXPECT_EQ(events[1]["args"]["source"], "Y (p.ein:3:1)");
  EXPECT_EQ(events[1]["args"]["flops"], 10);
  EXPECT_EQ(events[1]["args"]["estimated_seconds"], 0.5);
  EXPECT_EQ(events[3]["args"]["name"], "worker 0");
  EXPECT_EQ(events[4]["args"]["name"], "worker 2");
  EXPECT_EQ(events[4]["ph"], "M");
}

TEST(Trace, BarsThatOverlapHaveRowsOfTheirOwn) {
  plan::TaskGraph graph;
  graph.tasks = {task(plan::TaskKind::compute, "fast"), task(plan::TaskKind::move, ""),
                 task(plan::TaskKind::move, ""), task(plan::TaskKind::move, ""),
                 task(plan::TaskKind::compute, "fast")};
  runtime::RunReport report;
  report.tasks = {{0, 1, 0}, {0.5, 1, 1}, {1, 1, 1}, {1.5, 1, 1}, {1, 1, 0}};
  Trace made;
  made.add(graph, report);
  const nlohmann::json trace = nlohmann::json::parse(made.text());
  const nlohmann::json& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 8U);  // five tasks, three rows
  std::vector<int> rows;
  for (size_t bar = 0; bar < 5; ++bar) {
    rows.push_back(events[bar]["tid"]);
  }
  EXPECT_EQ(rows, (std::vector<int>{0, 1, 3, 1, 0}));
  EXPECT_EQ(events[5]["args"]["name"], "worker 0");
  EXPECT_EQ(events[6]["args"]["name"], "moves");
  EXPECT_EQ(events[7]["args"]["name"], "moves (2)");
  EXPECT_EQ(events[7]["tid"], 3);
}

}  // namespace
}  // namespace tessera::engine::trace_test

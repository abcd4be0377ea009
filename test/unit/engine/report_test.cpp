#include "engine/explain/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tessera::engine::report_test {
namespace {

using nlohmann::json;

constexpr const char* kProgram =
    "input A[i,k], B[k,j]\nC[i,j] = sum[k] A[i,k] * B[k,j]\noutput C\n";

Session session_with(const std::function<void(Settings&)>& change) {
  Settings settings;
  settings.workers = 2;
  settings.memory_bytes = int64_t{1} << 30;
  change(settings);
  return Session(settings);
}

json report_of(const Session& session, const std::vector<runtime::RunReport>& runs = {}) {
  const Stages stages =
      session.plan(Program{{"p.ein", kProgram}},
                   {{{"A", {DType::f64, {4, 6}}}, {"B", {DType::f64, {6, 8}}}}, {}});
  PlanProfile profile;
  profile.add(stages.plan().tasks, runs);
  return json::parse(json_report(stages, profile, session));
}

TEST(JsonReport, HasTheFiguresOfAPlan) {
  const json report = report_of(session_with([](Settings& settings) { settings.tile["k"] = 3; }));
  EXPECT_EQ(report["sites"], 1);
  EXPECT_EQ(report["planner"], "tile");
  EXPECT_EQ(report["flops"], 2 * 4 * 6 * 8);
  EXPECT_EQ(report["tasks"], 4 + 2 + 1);  // tiles of A and B read, two products, C written
  EXPECT_EQ(report["tiles"], 4 + 1);
  EXPECT_EQ(report["bytes_moved"], 8 * (4 * 6 + 6 * 8 + 4 * 8));
  ASSERT_EQ(report["vertices"].size(), 1U);
  const json& product = report["vertices"][0];
  EXPECT_EQ(product["name"], "C");
  EXPECT_EQ(product["line"], 2);
  EXPECT_EQ(product["equation"], "C[i,j] = sum[k] A[i,k] * B[k,j]");
  EXPECT_EQ(product["partition_vector"], json({{"i", 1}, {"j", 1}, {"k", 2}}));
  EXPECT_EQ(product["cost"], report["floats_moved"]);
  EXPECT_FALSE(report.contains("actual"));
}

TEST(JsonReport, SaysOfSeveralSitesWhatEachDoesAndMoves) {
  const json report = report_of(session_with([](Settings& settings) {
    settings.num_sites = 2;
    settings.tile["k"] = 3;
  }));
  EXPECT_EQ(report["sites"], 2);
  ASSERT_EQ(report["by_site"].size(), 2U);
  double in = 0;
  double out = 0;
  int64_t tasks = 0;
  for (const json& site : report["by_site"]) {
    in += site["bytes_in"].get<double>();
    out += site["bytes_out"].get<double>();
    tasks += site["tasks"].get<int64_t>();
  }
  EXPECT_EQ(out, in);
  EXPECT_EQ(tasks, report["tasks"]);
  int num_chosen = 0;
  for (const json& candidate : report["candidates"]) {
    EXPECT_TRUE(candidate.contains("places"));
    if (candidate["fate"] == "chosen") {
      ++num_chosen;
      EXPECT_EQ(candidate["moved_bytes"], in);
      EXPECT_EQ(candidate["tasks"], tasks);
    }
  }
  EXPECT_EQ(num_chosen, 1);
  EXPECT_GT(report["candidates"].size(), 1U);
}

TEST(JsonReport, HasATimeForEveryRunAndTheLastOnesSpills) {
  const Session session = session_with([](Settings& settings) { settings.tile["k"] = 3; });
  runtime::RunReport run;
  run.tasks.resize(7);
  run.seconds = 2;
  runtime::RunReport last = run;
  last.seconds = 3;
  last.spilled_bytes = 64;
  last.num_spills = 1;
  last.spills = {1, 0, 0, 0, 0};
  const json report = report_of(session, {run, last});
  EXPECT_EQ(report["actual"]["execution_seconds"], json({2.0, 3.0}));
  EXPECT_EQ(report["actual"]["run_seconds"], 3.0);
  EXPECT_EQ(report["actual"]["spills"], 1);
  EXPECT_EQ(report["actual"]["bytes_spilled"], 64);
  int64_t spills = 0;
  for (const json& statement : report["statements"]) {
    spills += statement["spills"].get<int64_t>();
  }
  EXPECT_EQ(spills, 1);
}

}  // namespace
}  // namespace tessera::engine::report_test

#include "plan/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/memory.h"
#include "plan/order.h"
#include "plan/paging.h"
#include "plan/text.h"
#include "plan/verify.h"
#include "unit/known.h"
#include "unit/plan/plain_tasks.h"

namespace tessera::plan::rows_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Tiles of rows that are expected to take 64 + 64 bytes, and take at most 1088 + 1088.
constexpr const char* kPlan =
    "tasks peak=256 peak_at_most=4352 smallest_budget=4352\n"
    "t0 = tile orders key=(0) last=%1 : rows[expected=8,at_most=136](i64[],f32[2])\n"
    "t1 = tile orders key=(0) last=%1 : rows[expected=8,at_most=136](i64[],f32[2])\n"
    "t2 = tile orders key=(1) last=%2 : rows[8](i64[],f32[2])\n"
    "%0 = read_source orders out=(t0)\n"
    "%1 = copy_box(t0) out=(t1)\n"
    "%2 = read_source orders out=(t2)\n";

TaskGraph parse(const std::string& text) {
  return parse_graph({"plan", text}, known().functions, known().aggregates);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t place = text.find(from);
  return place == std::string::npos ? "there is no " + from : text.replace(place, from.size(), to);
}

/// The kind and the message of the error, "" where there is none.
template <class Step>
std::string error_of(Step step, ErrorKind kind = ErrorKind::user) {
  try {
    step();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.message();
    return error.message();
  }
  return "";
}

TEST(Rows, ArePrintedAndReadBack) {
  const TaskGraph graph = parse(kPlan);
  EXPECT_EQ(graph.at(TileId(0)).type,
            TileType(RowTile{{{DType::i64, {}}, {DType::f32, {2}}}, {8, 136}}));
  EXPECT_EQ(to_text(describe(graph, known().aggregates)), kPlan);
  EXPECT_THAT(verify(graph, known().functions), IsEmpty());
}

TEST(Rows, EverySpaceOfAPlanSaysBothPeaks) {
  const std::string text =
      "tasks\n"
      "m0 = space peak=128 peak_at_most=2176 smallest_budget=2176\n"
      "m1 = space process=1 peak=128 peak_at_most=2176 smallest_budget=2176\n"
      "s0 = site space=m0\n"
      "s1 = site space=m1\n"
      "t0 = tile orders key=(0) last=%1 : rows[expected=8,at_most=136](i64[],f32[2])\n"
      "t1 = tile orders key=(0) space=m1 last=%1 : rows[expected=8,at_most=136](i64[],f32[2])\n"
      "%0 = read_source orders out=(t0)\n"
      "%1 = move(t0) site=s1 out=(t1)\n";
  EXPECT_EQ(to_text(describe(parse(text), known().aggregates)), text);
}

TEST(Rows, TheProofCountsWhatTheyCanBeAtMost) {
  const TaskGraph graph = parse(kPlan);
  EXPECT_EQ(charged_bytes(graph.at(TileId(0))), (Bytes{128, 1088 + 1088}));
  EXPECT_EQ(smallest_budget(graph, kFirstSpace).bytes, 2 * (1088 + 1088));
  EXPECT_EQ(serial_peak(graph, kFirstSpace).bytes, (Bytes{256, 2 * (1088 + 1088)}));
  EXPECT_EQ(peak_text(serial_peak(graph, kFirstSpace).bytes),
            "256 bytes expected, at most 4.25 KiB");
  EXPECT_THAT(error_of([&] { check_budget(graph, 4351); }, ErrorKind::resource),
              HasSubstr("4352 bytes"));
  check_budget(graph, 4352);
  EXPECT_EQ(shortage_of(graph, 4351).value().smallest_budget, 4352);
  EXPECT_FALSE(shortage_of(graph, 4352));
}

/// Rows 0 and 1 are made, then used again; each is expected to take a unit, and takes two at most.
Tasks two_rows() {
  Tasks tasks(3);
  for (const size_t tile : {0, 1}) {
    tasks.graph.tiles[tile].type = RowTile{{{DType::i64, {}}}, {4, 16}};
  }
  tasks.compute({}, 0);
  tasks.compute({}, 1);
  tasks.write(0);
  tasks.write(1);
  return tasks;
}

TEST(Rows, ASpillIsForecastByTheBudgetAtMostAndTheBytesExpected) {
  const Tasks tasks = two_rows();
  EXPECT_EQ(forecast_paging(tasks.graph, 4 * 64).num_spills, 0);
  const Paging paging = forecast_paging(tasks.graph, 2 * 64);
  EXPECT_EQ(paging.num_spills, 2);  // 0 for 1, then 1 for 0
  EXPECT_EQ(paging.spilled_bytes, 2 * 64);
  EXPECT_EQ(paging.loaded_bytes, 2 * 64);
}

TEST(Rows, VerifySaysWhatDoesNotHoldTogether) {
  const auto problem = [](const std::string& from, const std::string& to) {
    return error_of([&] { parse(replaced(kPlan, from, to)); });
  };
  EXPECT_THAT(problem("rows[8]", "rows[expected=9,at_most=8]"),
              HasSubstr("tile t2: 9 rows are expected, but it has at most 8"));
  EXPECT_THAT(problem("rows[8](i64[],f32[2])", "rows[8]()"),
              HasSubstr("tile t2: its rows have no columns"));
  EXPECT_THAT(problem("rows[8]", "rows[4611686018427387904]"), HasSubstr("more than 2^50 bytes"));
  EXPECT_THAT(problem("rows[8](i64[],f32[2])", "rows[8](i64[])"),
              HasSubstr("source orders is rows[8](i64[]) here but rows[expected=8"));
  EXPECT_THAT(problem("rows[8](i64[],f32[2])", "i64[0:8]"),
              HasSubstr("there is no source orders: a line says its type, as source orders : "
                        "i64[8]"));
  EXPECT_THAT(problem("t0 = tile", "source orders : i64[8]\nt0 = tile"),
              HasSubstr("source orders is i64[8], but here it gives rows"));
  EXPECT_THAT(problem("copy_box(t0)", "copy_box(t2)"), HasSubstr("its boxes differ"));
  EXPECT_THAT(problem("%0 = read_source orders out=(t0)", "%0 = read_source orders out=(t1)"),
              HasSubstr("it uses t0 before 1 of its elements are written"));
  EXPECT_THAT(problem("peak_at_most=4352", "peak_at_most=4353"),
              HasSubstr("its peak is 4352 bytes, not 4353"));
  EXPECT_THAT(problem("peak=256", "peak=255"),
              HasSubstr("its expected peak is 256 bytes, not 255"));
}

TEST(Rows, PartsOfThemAreNoArguments) {
  EXPECT_THAT(error_of([] { parse(replaced(kPlan, "copy_box(t0)", "copy_box(t0[0:4])")); }),
              HasSubstr("plan:6:15: error: this tile is rows, which have no parts"));
  TaskGraph graph = parse(kPlan);
  graph.tasks[1].inputs[0].part = std::make_shared<const Part>(Part{{{0}, {4}}, {0}});
  EXPECT_THAT(verify(graph, known().functions),
              testing::Contains("task %1 (): t0 is rows, which have no parts"));
}

constexpr const char* kKernel =
    "tasks peak=128 smallest_budget=128\n"
    "p0 = program {[i=4] (f32) o[i] = -x0[i]}\n"
    "t0 = tile orders key=(0) last=%1 : rows[4](f32[])\n"
    "t1 = tile result key=(0) last=%1 : f32[0:4]\n"
    "%0 = read_source orders out=(t0)\n"
    "%1 = compute(t0) out=(t1) program=p0 kernel=reference ranges=(0:4)\n";

TEST(Rows, AKernelOrAResultOfThemIsRefused) {
  EXPECT_EQ(error_of([] { parse(kKernel); }, ErrorKind::unsupported),
            "task %1 (): it runs a kernel on rows, but kernels take and make arrays only");
  const std::string sink = replaced(replaced(kPlan, "t0 = ", "sink Y : f32[8]\nt0 = "),
                                    "%2 = read_source orders out=(t2)\n",
                                    "%2 = read_source orders out=(t2)\n%3 = write_sink(t2) Y\n");
  EXPECT_EQ(error_of([&] { parse(sink); }, ErrorKind::unsupported),
            "task %3 (): it writes rows to Y, but results are arrays only");
}

TEST(Rows, VerifyRefusesAKernelOnThemTooAndDoesNotFall) {
  TaskGraph graph = parse(replaced(replaced(kKernel, "rows[4](f32[])", "f32[0:4]"),
                                   "t0 = ", "source orders : f32[4]\nt0 = "));
  ASSERT_EQ(graph.tiles.size(), 2U);
  graph.tiles[0].type = RowTile{{{DType::f32, {}}}, {4, 4}};
  graph.sources.clear();
  EXPECT_THAT(verify(graph, known().functions),
              ElementsAre("task %1 (): it runs a kernel on rows, but kernels take and make arrays "
                          "only"));
}

TEST(Rows, NothingRunsAPlanThatReadsThem) {
  const TaskGraph graph = parse(kPlan);
  EXPECT_EQ(error_of([&] { refuse_rows(graph); }, ErrorKind::unsupported),
            "task %0 (): it reads rows from orders, but sources give arrays only");
}

TEST(Rows, TheOrderIsTheOneThatIsExpectedToNeedLess) {
  // While 3 is there, either 0 waits to be used again or 2, which is made of it. 2 is expected to
  // be the smaller one, and may be the larger one.
  Tasks tasks(6);
  tasks.graph.tiles[0].type = DenseTile{DType::i64, {{0}, {16}}};
  tasks.graph.tiles[2].type = RowTile{{{DType::i64, {}}}, {8, 32}};
  tasks.graph.tiles[3].type = DenseTile{DType::i64, {{0}, {800}}};
  tasks.compute({}, 0);
  tasks.compute({0}, 1);
  tasks.compute({0}, 2);
  tasks.compute({}, 3);
  tasks.write(1);
  tasks.write(3);
  tasks.compute({}, 4);
  tasks.compute({2, 4}, 5);
  tasks.write(5);
  EXPECT_EQ(ordered(tasks.graph).proof().peak, (Bytes{101 * 64, 104 * 64}));
  tasks.graph.tiles[2].type = RowTile{{{DType::i64, {}}}, {32, 32}};
  EXPECT_EQ(ordered(tasks.graph).proof().peak, (Bytes{102 * 64, 102 * 64}));
}

}  // namespace
}  // namespace tessera::plan::rows_test

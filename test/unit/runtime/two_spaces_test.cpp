#include <memory>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "counted_source.h"
#include "drawn_plan.h"
#include "plan/memory.h"
#include "plan/paging.h"
#include "plan/verify.h"
#include "two_site_plan.h"

/// Plans whose tiles are in two spaces, each with a store of its own.
namespace tessera::runtime::two_spaces_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;

const Registries& known() {
  static const Registries registries;
  return registries;
}

plan::TaskGraph parse(const std::string& text) {
  return plan::parse_graph({"plan.tasks", text}, known().functions, known().aggregates);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string problem_of(const std::string& from, const std::string& to) {
  try {
    parse(replaced(kTwoSitePlan, from, to));
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(TwoSpaces, ThePlanIsReprintedAsItWas) {
  const plan::TaskGraph graph = parse(kTwoSitePlan);
  EXPECT_EQ(to_text(describe(graph, known().aggregates)), kTwoSitePlan);
  EXPECT_EQ(graph.sites.size(), 2U);
  EXPECT_EQ(graph.at(plan::TileId(4)).space, plan::SpaceId(1));
  EXPECT_EQ(graph.tasks[3].kind, plan::TaskKind::move);
}

TEST(TwoSpaces, VerifySaysWhatIsInTheWrongSpace) {
  EXPECT_THAT(problem_of("move(t2) site=s1", "move(t2)"),
              HasSubstr("task %3 (): t2 is in space m0, which is that of its site s0\n"
                        "  task %3 (): t3 is in space m1, not that of its site s0"));
  EXPECT_THAT(problem_of("%4 = compute(t3, t1)", "%4 = compute(t3, t0)"),
              HasSubstr("task %4 (): t0 is in space m0, not that of its site s1"));
  EXPECT_THAT(problem_of("s1 = site space=m1", "s1 = site space=m2"),
              HasSubstr("site s1: there is no space m2"));
  EXPECT_THAT(problem_of("%5 = move(t4)", "%5 = move(t4) site=s7"),
              HasSubstr("task %5 (): there is no site s7"));
  EXPECT_THAT(problem_of("m1 = space peak=704", "m1 = space peak=768"),
              HasSubstr("space m1: its peak is 704 bytes, not 768"));
  EXPECT_THAT(problem_of("tasks\n", "tasks peak=704\n"),
              HasSubstr("where spaces are named, each says its own"));
}

/// Runs it with X = 1, 2, ... and stores of these budgets.
std::vector<int64_t> run(const plan::TaskGraph& graph, Executor& executor, int64_t first_budget,
                         int64_t second_budget) {
  store::MemoryTensor x({DType::i64, {8}});
  store::MemoryTensor y({DType::i64, {8}});
  std::iota(x.view().as<int64_t>(), x.view().as<int64_t>() + 8, 1);
  store::TileStore first(first_budget);
  store::TileStore second(second_budget);
  executor.run(graph, {{&first, &second}, known().context, {{"X", &x}}, {{"Y", &y}}});
  EXPECT_EQ(first.usage().in_use + second.usage().in_use, 0);
  return {y.view().as<int64_t>(), y.view().as<int64_t>() + 8};
}

TEST(TwoSpaces, BothExecutorsMoveTilesBetweenStores) {
  const plan::TaskGraph graph = parse(kTwoSitePlan);
  for (const auto& executor :
       {make_serial_executor(), make_threads_executor({2, testing::TempDir()})}) {
    EXPECT_THAT(run(graph, *executor, 704, 704), ElementsAre(5, 10, 15, 20, 25, 30, 35, 40));
  }
}

TEST(TwoSpaces, ABudgetThatIsTooSmallNamesItsSite) {
  try {
    run(parse(kTwoSitePlan), *make_threads_executor({2, testing::TempDir()}), 1024, 512);
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_THAT(error.message(), HasSubstr("a memory budget of 512 bytes on its site s1: the "
                                           "smallest that it runs under is 704 bytes"));
  }
}

TEST(TwoSpaces, MemoryOfADeviceIsRefused) {
  const plan::TaskGraph graph =
      parse(replaced(kTwoSitePlan, "m1 = space peak", "m1 = space kind=device peak"));
  EXPECT_EQ(graph.spaces[1].kind, MemoryKind::device);
  for (const auto& executor :
       {make_serial_executor(), make_threads_executor({2, testing::TempDir()})}) {
    try {
      run(graph, *executor, 1024, 1024);
      FAIL() << "ran";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_THAT(error.message(), HasSubstr("space m1, the memory of a device"));
    }
  }
}

TEST(TwoSpaces, MemoryOfAnotherProcessCannotBeReached) {
  const plan::TaskGraph graph =
      parse(replaced(kTwoSitePlan, "m1 = space peak", "m1 = space process=1 peak"));
  store::TileStore first(1024);
  for (const auto& executor :
       {make_serial_executor(), make_threads_executor({2, testing::TempDir()})}) {
    try {
      executor->run(graph, {{&first, nullptr}, known().context, {}, {}});
      FAIL() << "ran";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_THAT(error.message(), HasSubstr("space m1, memory of process 1"));
    }
  }
}

TEST(Executors, RefuseAPlanOfRowsBeforeAnythingRuns) {
  const plan::TaskGraph graph = parse(
      "tasks peak=64 smallest_budget=64\n"
      "t0 = tile R key=(0) last=%0 : rows[8](i64[])\n"
      "%0 = read_source R out=(t0)\n");
  store::TileStore store(64);
  for (const auto& executor :
       {make_serial_executor(), make_threads_executor({2, testing::TempDir()})}) {
    try {
      executor->run(graph, {{&store}, known().context, {}, {}});
      FAIL() << "ran";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_THAT(error.message(), HasSubstr("it reads rows from R, but sources give arrays only"));
    }
  }
}

/// The plan with its tiles drawn into two spaces; a task runs where its result is, and what it
/// reads from elsewhere is moved there first.
plan::TaskGraph over_two_spaces(const plan::TaskGraph& graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  plan::TaskGraph draft = graph;
  draft.spaces = {{}, {}};
  draft.sites = {{plan::SpaceId(0)}, {plan::SpaceId(1)}};
  draft.tasks.clear();
  for (plan::TileInfo& tile : draft.tiles) {
    tile.space = plan::SpaceId(static_cast<int64_t>(random() % 2));
  }
  for (plan::TaskInfo task : graph.tasks) {
    const plan::Argument& own = task.outputs.empty() ? task.inputs[0] : task.outputs[0];
    const plan::SpaceId space = draft.at(own.tile).space;
    task.site = plan::SiteId(space.value);
    for (plan::Argument& input : task.inputs) {
      if (draft.at(input.tile).space == space) {
        continue;
      }
      plan::TileInfo copy = draft.at(input.tile);
      copy.space = space;
      draft.tiles.push_back(copy);
      plan::TaskInfo move;
      move.kind = plan::TaskKind::move;
      move.site = task.site;
      move.inputs = {{input.tile, nullptr}};
      input.tile = plan::TileId(static_cast<int64_t>(draft.tiles.size()) - 1);
      move.outputs = {{input.tile, nullptr}};
      move.bytes = static_cast<double>(bytes_of(copy.type).at_most);
      draft.tasks.push_back(std::move(move));
    }
    draft.tasks.push_back(std::move(task));
  }
  return plan::ordered(std::move(draft));
}

TEST(TwoSpaces, DrawnPlansGiveTheBitsOfOneSpaceWithinBothBudgets) {
  int64_t num_spills = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Planned planned = drawn_plan(seed, 80, known());
    const std::vector<int64_t> expected = planned.expected(known());
    planned.graph = over_two_spaces(planned.graph, seed);
    ASSERT_THAT(plan::verify(planned.graph, known().functions), IsEmpty());
    const auto least = [&](int64_t space) {
      return planned.graph.proof(plan::SpaceId(space)).smallest_budget;
    };
    const auto peak = [&](int64_t space) {
      return planned.graph.proof(plan::SpaceId(space)).peak.at_most;
    };
    RunReport report;
    store::TileStore wide_0(peak(0));
    store::TileStore wide_1(peak(1));
    std::vector<std::unique_ptr<CountedSource>> sources;
    ASSERT_EQ(planned.run(*make_serial_executor(), wide_0, known(), report,
                          [&](RunContext& context) {
                            context.stores.push_back(&wide_1);
                            sources = lend_nothing(context);
                          }),
              expected);
    EXPECT_EQ(wide_0.usage().peak, peak(0));
    EXPECT_EQ(wide_1.usage().peak, peak(1));
    for (const int32_t workers : {1, 3}) {
      store::TileStore tight_0(least(0));
      store::TileStore tight_1(least(1) + 64);
      ASSERT_EQ(
          planned.run(*make_threads_executor({workers, testing::TempDir()}), tight_0, known(),
                      report, [&](RunContext& context) { context.stores.push_back(&tight_1); }),
          expected)
          << "seed " << seed << " workers " << workers;
      EXPECT_THAT(tight_0.usage().peak, Le(least(0)));
      EXPECT_THAT(tight_1.usage().peak, Le(least(1) + 64));
      num_spills += report.num_spills;
    }
    const plan::Paging paging =
        plan::forecast_paging(planned.graph, plan::Budgets({least(0), least(1)}));
    EXPECT_GE(paging.num_loads, paging.num_spills);
  }
  EXPECT_GT(num_spills, 0);
}

}  // namespace
}  // namespace tessera::runtime::two_spaces_test

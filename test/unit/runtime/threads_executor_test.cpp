#include <csignal>
#include <filesystem>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/error.h"
#include "counted_source.h"
#include "drawn_plan.h"
#include "plan/memory.h"
#include "plan/verify.h"

namespace tessera::runtime::threads_executor_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Registries& known() {
  static const Registries registries;
  return registries;
}

std::unique_ptr<Executor> threads(int32_t num_workers) {
  return make_threads_executor({num_workers, testing::TempDir()});
}

TEST(DrawnPlan, IsSound) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_THAT(plan::verify(drawn_plan(seed, 60, known()).graph, known().functions), IsEmpty());
  }
}

TEST(ThreadsExecutor, GivesTheBitsOfTheSerialRunUnderEveryBudget) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Planned planned = drawn_plan(seed, 80, known());
    const std::vector<int64_t> expected = planned.expected(known());
    const int64_t least = planned.graph.proof().smallest_budget;
    for (const int64_t budget :
         {least, least + 64, (least + planned.graph.proof().peak.at_most) / 2,
          planned.graph.proof().peak.at_most, int64_t{1} << 20}) {
      for (const int32_t workers : {1, 2, 5}) {
        store::TileStore store(budget);
        RunReport report;
        ASSERT_EQ(planned.run(*threads(workers), store, known(), report), expected)
            << "seed " << seed << " budget " << budget << " workers " << workers;
        EXPECT_LE(report.peak_bytes, budget);
        EXPECT_EQ(store.usage().in_use, 0);
        EXPECT_EQ(report.tasks.size(), planned.graph.tasks.size());
      }
    }
  }
}

TEST(ThreadsExecutor, SpillsWhenMemoryIsShortAndNotWhenThereIsEnough) {
  const Planned planned = drawn_plan(7, 300, known());
  ASSERT_LT(planned.graph.proof().smallest_budget * 3, planned.graph.proof().peak.at_most);
  for (const auto& [budget, spills] :
       {std::pair{planned.graph.proof().smallest_budget, true}, {int64_t{1} << 20, false}}) {
    store::TileStore store(budget);
    RunReport report;
    planned.run(*threads(2), store, known(), report);
    EXPECT_EQ(report.num_spills > 0, spills);
    EXPECT_EQ(report.spilled_bytes, report.num_spills * 16 * 8);
    EXPECT_EQ(std::accumulate(report.spills.begin(), report.spills.end(), int64_t{0}),
              report.num_spills);
  }
}

TEST(ThreadsExecutor, RefusesABudgetBelowTheSmallestBeforeAnythingRuns) {
  const Planned planned = drawn_plan(3, 60, known());
  store::TileStore store(planned.graph.proof().smallest_budget - 64);
  RunReport report;
  try {
    planned.run(*threads(2), store, known(), report);
    FAIL() << "ran";
  } catch (const Error& error) {
    const plan::TaskId task = plan::smallest_budget(planned.graph, plan::kFirstSpace).task;
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_THAT(error.message(),
                HasSubstr(fmt::format("({} bytes)", planned.graph.proof().smallest_budget)));
    EXPECT_THAT(error.message(), HasSubstr(to_string(planned.graph.tasks[task.index()].origin)));
  }
  EXPECT_EQ(store.usage().peak, 0);
}

/// A source that fails when a part of it is read for the n-th time.
class FailingSource : public store::TileSource {
 public:
  FailingSource(const store::TileSource& source, int reads) : source_(source), reads_(reads) {}
  ArrayType type() const override { return source_.type(); }
  void read(const TileView& into) const override {
    if (--reads_ == 0) {
      throw_error(ErrorKind::resource, "the disk is gone");
    }
    source_.read(into);
  }

 private:
  const store::TileSource& source_;
  mutable std::atomic<int> reads_;
};

TEST(ThreadsExecutor, ReadsWhereItLiesWhatASourceLends) {
  const Planned planned = drawn_plan(5, 100, known());
  const std::vector<int64_t> expected = planned.expected(known());
  for (const bool lends : {true, false}) {
    store::TileStore store(planned.graph.proof().smallest_budget);
    std::optional<CountedSource> source;
    RunReport report;
    const std::vector<int64_t> result =
        planned.run(*threads(3), store, known(), report, [&](RunContext& context) {
          source.emplace(*context.sources.at("X1"), lends);
          context.sources["X1"] = &*source;
        });
    EXPECT_EQ(result, expected);
    EXPECT_EQ(source->reads == 0, lends);
    EXPECT_EQ(store.usage().in_use, 0);
  }
}

TEST(ThreadsExecutor, AFailingTaskEndsTheRunAndNamesItsStatement) {
  const Planned planned = drawn_plan(5, 100, known());
  for (const int64_t budget : {planned.graph.proof().smallest_budget, int64_t{1} << 20}) {
    store::TileStore store(budget);
    std::optional<FailingSource> failing;
    RunReport report;
    try {
      planned.run(*threads(3), store, known(), report, [&](RunContext& context) {
        failing.emplace(*context.sources.at("X1"), 1);
        context.sources["X1"] = &*failing;
      });
      FAIL() << "ran";
    } catch (const Error& error) {
      EXPECT_EQ(error.full_text(), "the disk is gone\n  in X1 (drawn.ein:2:1)");
    }
    EXPECT_EQ(store.usage().in_use, 0);
  }
}

TEST(ThreadsExecutor, AFailingAllocationReleasesWhatWasTaken) {
  const Planned planned = drawn_plan(5, 30, known());
  for (int64_t failing = 1; failing < 20; ++failing) {
    store::TileStore store(planned.graph.proof().smallest_budget, failing);
    RunReport report;
    EXPECT_THROW(planned.run(*threads(2), store, known(), report), Error) << failing;
    EXPECT_EQ(store.usage().in_use, 0);
  }
}

/// A source that sets a flag when it is first read.
class CancellingSource : public store::TileSource {
 public:
  CancellingSource(const store::TileSource& source, std::atomic<bool>& flag)
      : source_(source), flag_(flag) {}
  ArrayType type() const override { return source_.type(); }
  void read(const TileView& into) const override {
    source_.read(into);
    flag_ = true;
  }

 private:
  const store::TileSource& source_;
  std::atomic<bool>& flag_;
};

class CountingListener : public RunListener {
 public:
  void task_finished(plan::TaskId, const TaskTiming& timing) override {
    ++num_tasks;
    EXPECT_GE(timing.seconds, 0);
  }
  size_t num_tasks = 0;  // plain: calls come one at a time
};

TEST(ThreadsExecutor, ACancelledRunEndsAsInterrupted) {
  const Planned planned = drawn_plan(9, 2000, known());
  store::TileStore store(planned.graph.proof().smallest_budget * 2);
  std::atomic<bool> cancelled = false;
  std::optional<CancellingSource> source;
  CountingListener listener;
  RunReport report;
  try {
    planned.run(*threads(2), store, known(), report, [&](RunContext& context) {
      source.emplace(*context.sources.at("X1"), cancelled);
      context.sources["X1"] = &*source;
      context.cancelled = &cancelled;
      context.listener = &listener;
    });
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
  EXPECT_LT(listener.num_tasks, planned.graph.tasks.size());
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST(ThreadsExecutor, TheListenerHearsOfEveryTask) {
  const Planned planned = drawn_plan(9, 500, known());
  store::TileStore store(planned.graph.proof().smallest_budget * 2);
  CountingListener listener;
  RunReport report;
  planned.run(*threads(4), store, known(), report,
              [&](RunContext& context) { context.listener = &listener; });
  EXPECT_EQ(listener.num_tasks, planned.graph.tasks.size());
}

/// No file of this process may grow beyond some bytes while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST(ThreadsExecutor, AFullDiskEndsTheRunWithTheStatementThatNeededRoom) {
  const Planned planned = drawn_plan(7, 300, known());
  store::TileStore store(planned.graph.proof().smallest_budget);
  RunReport report;
  const FileSizeLimit limit(8192);
  try {
    planned.run(*threads(2), store, known(), report);
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_THAT(error.full_text(), HasSubstr("spill file in " + testing::TempDir()));
    EXPECT_THAT(error.full_text(), HasSubstr("while making room for"));
    EXPECT_THAT(error.full_text(), HasSubstr("drawn.ein:"));
  }
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST(ThreadsExecutor, ASpillDirectoryThatIsMissingIsNamed) {
  const Planned planned = drawn_plan(7, 300, known());
  store::TileStore store(planned.graph.proof().smallest_budget);
  RunReport report;
  try {
    planned.run(*make_threads_executor({2, "/no/such/place"}), store, known(), report);
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_THAT(error.message(), HasSubstr("/no/such/place"));
  }
}

TEST(ThreadsExecutor, AnEmptyPlanRuns) {
  Planned planned;
  store::TileStore store(0);
  RunReport report;
  EXPECT_THAT(planned.run(*threads(2), store, known(), report), IsEmpty());
}

}  // namespace
}  // namespace tessera::runtime::threads_executor_test

#include "runtime/threads/schedule.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawn_plan.h"
#include "plan/memory.h"
#include "plan/order.h"
#include "plan/paging.h"
#include "unit/plan/plain_tasks.h"

namespace tessera::runtime::schedule_test {
namespace {

const Registries& known() {
  static const Registries registries;
  return registries;
}

/// Runs a schedule with actions that end in a drawn order: every interleaving of threads is one.
/// Returns the tasks in the order in which they started; it is shorter if the run got stuck.
std::vector<plan::TaskId> play(const plan::TaskGraph& graph, int64_t budget, size_t num_workers,
                               uint64_t seed) {
  Schedule schedule(graph, budget, num_workers);
  std::mt19937_64 random(seed);
  std::vector<Action> running;
  std::vector<plan::TaskId> started;
  std::vector<bool> is_started(graph.tasks.size(), false);
  while (!schedule.is_done()) {
    bool none = true;
    if (running.size() <= num_workers && random() % 4 != 0) {
      const bool for_io = random() % 3 == 0;
      Action action = for_io ? schedule.next_for_io() : schedule.next_for_worker();
      none = action.kind == Action::Kind::nothing;
      if (none && !for_io && running.empty()) {
        return started;
      }
      if (!none) {
        if (action.kind == Action::Kind::task) {
          started.push_back(action.task);
          EXPECT_FALSE(is_started[action.task.index()]);
          is_started[action.task.index()] = true;
          schedule.loaded(action.loaded);
        }
        running.push_back(std::move(action));
      }
    }
    if (!running.empty() && (none || random() % 2 == 0)) {
      const auto ended = running.begin() + static_cast<std::ptrdiff_t>(random() % running.size());
      schedule.finish(*ended);
      running.erase(ended);
    }
  }
  return started;
}

/// What a run of one worker did.
struct Played {
  int64_t num_spills = 0;
  int64_t num_loads = 0;
  bool in_order = true;  // the worker took no task before its turn
};

/// Runs a schedule with one worker; what the thread for reading and writing does takes a drawn
/// number of the worker's steps.
Played play_one_worker(const plan::TaskGraph& graph, int64_t budget, uint64_t seed) {
  Schedule schedule(graph, budget, 1);
  std::mt19937_64 random(seed);
  Played played;
  std::set<plan::TaskId> waiting;
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    waiting.emplace(static_cast<int64_t>(number));
  }
  const auto begin = [&](const Action& action) {
    played.num_spills += action.kind == Action::Kind::spill ? 1 : 0;
    played.num_loads += static_cast<int64_t>(action.loaded.size());
    if (action.kind == Action::Kind::task) {
      const bool is_read = graph.tasks[action.task.index()].kind == plan::TaskKind::read_source;
      played.in_order &= is_read || *waiting.begin() == action.task;
      waiting.erase(action.task);
      schedule.loaded(action.loaded);
    }
  };
  Action io;
  Action worker;
  while (!schedule.is_done()) {
    if (io.kind == Action::Kind::nothing) {
      io = schedule.next_for_io();
      begin(io);
    } else if (random() % 3 == 0) {
      schedule.finish(std::exchange(io, {}));
    }
    if (worker.kind == Action::Kind::nothing) {
      worker = schedule.next_for_worker();
      begin(worker);
    } else if (random() % 3 == 0) {
      schedule.finish(std::exchange(worker, {}));
    }
  }
  return played;
}

TEST(Schedule, GetsEveryPlanDoneUnderItsSmallestBudgetHoweverActionsEnd) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Planned planned = drawn_plan(seed, 120, known());
    const int64_t least = planned.graph.proof().smallest_budget;
    for (const size_t workers : {1, 2, 4}) {
      for (const int64_t budget : {least, least + 64, 2 * least}) {
        ASSERT_EQ(play(planned.graph, budget, workers, seed).size(), planned.graph.tasks.size())
            << "seed " << seed << " workers " << workers << " budget " << budget;
      }
    }
  }
}

TEST(Schedule, OneWorkerWithMemoryEnoughStartsTasksInThePlansOrder) {
  const Planned planned = drawn_plan(1, 200, known());
  Schedule schedule(planned.graph, int64_t{1} << 30, 1);
  for (size_t number = 0; number < planned.graph.tasks.size(); ++number) {
    const Action action = schedule.next_for_worker();
    ASSERT_EQ(action.kind, Action::Kind::task);
    EXPECT_EQ(action.task.index(), number);
    schedule.finish(action);
  }
  EXPECT_TRUE(schedule.is_done());
}

TEST(Schedule, OneWorkerPagesWhatTheForecastSays) {
  int num_in_order = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Planned planned = drawn_plan(seed, 200, known());
    const int64_t budget = planned.graph.proof().smallest_budget + 128;
    Schedule schedule(planned.graph, budget, 1);
    plan::Paging paging;
    bool is_in_order = true;
    for (size_t turn = 0; !schedule.is_done();) {
      const Action action = schedule.next_for_worker();
      ASSERT_NE(action.kind, Action::Kind::nothing);
      paging.num_spills += action.kind == Action::Kind::spill ? 1 : 0;
      paging.num_loads += static_cast<int64_t>(action.loaded.size());
      if (action.kind == Action::Kind::task) {
        is_in_order &= action.task.index() == turn++;
        schedule.loaded(action.loaded);
      }
      schedule.finish(action);
    }
    // While the head waits for a spill, a task behind it that takes no memory may end sooner.
    const plan::Paging forecast = plan::forecast_paging(planned.graph, budget);
    EXPECT_LE(paging.num_spills, forecast.num_spills);
    if (is_in_order) {
      EXPECT_EQ(paging.num_spills, forecast.num_spills);
      EXPECT_EQ(paging.num_loads, forecast.num_loads);
      ++num_in_order;
    }
  }
  EXPECT_GE(num_in_order, 15);
}

TEST(Schedule, ReadingAheadSpillsNextToNothingWhereTheForecastSaysNothing) {
  int64_t num_that_spill = 0;
  int64_t num_loads = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Planned planned = drawn_plan(seed, 200, known());
    int64_t budget = planned.graph.proof().smallest_budget;
    while (plan::forecast_paging(planned.graph, budget).num_spills > 0) {
      budget += 64;
    }
    for (uint64_t order = 0; order < 10; ++order) {
      const Played played = play_one_worker(planned.graph, budget, order);
      num_loads += played.num_loads;
      // A task before its turn keeps its output for longer, which may take more than there is.
      num_that_spill += played.num_spills > 0 ? 1 : 0;
      EXPECT_TRUE(played.num_spills == 0 || !played.in_order) << seed << " " << order;
    }
  }
  EXPECT_LE(num_that_spill, 60);  // of 400
  EXPECT_GT(num_loads, 1000);     // of sources that had been dropped
}

TEST(Schedule, TheReaderTakesTransfersOnly) {
  const Planned planned = drawn_plan(2, 100, known());
  Schedule schedule(planned.graph, int64_t{1} << 20, 1);
  for (Action action = schedule.next_for_io(); action.kind != Action::Kind::nothing;
       action = schedule.next_for_io()) {
    const plan::TaskKind kind = planned.graph.tasks[action.task.index()].kind;
    EXPECT_TRUE(kind == plan::TaskKind::read_source || kind == plan::TaskKind::write_sink);
    schedule.finish(action);
  }
}

TEST(Schedule, WorkersReadAndWriteWhatIsInMemory) {
  const Planned planned = drawn_plan(5, 100, known());
  const plan::TaskGraph& graph = planned.graph;
  Schedule schedule(graph, int64_t{1} << 20, 1, std::vector<bool>(graph.tasks.size(), true));
  EXPECT_FALSE(schedule.has_io());
  EXPECT_EQ(schedule.next_for_io().kind, Action::Kind::nothing);
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    ASSERT_TRUE(schedule.has_ready_task());
    const Action action = schedule.next_for_worker();
    ASSERT_EQ(action.kind, Action::Kind::task);
    EXPECT_EQ(action.task.index(), number);
    schedule.finish(action);
    EXPECT_FALSE(schedule.has_io());
  }
  EXPECT_TRUE(schedule.is_done());
}

TEST(Schedule, ReadingAheadStopsAtAShareOfTheBudget) {
  plan::TaskBuilder builder(known().context);
  const tra::RelationType type{{}, {{DType::i64, {{"i", 16}}}}};
  for (int number = 0; number < 100; ++number) {
    const std::string name = fmt::format("X{}", number);
    const plan::View tile = builder.new_tuple(type, {})[0];
    builder.add_read(name, {16}, StorageOrder::row_major, tile);
    builder.add_sink({"Y" + name, {DType::i64, {16}}});
    builder.add_write("Y" + name, {16}, tile);
  }
  const plan::TaskGraph graph = plan::ordered(std::move(builder).take());
  Schedule schedule(graph, int64_t{40} * 128, 1);
  std::vector<Action> reads;
  for (int number = 0; number < 20; ++number) {
    Action action = schedule.next_for_io();
    if (action.kind != Action::Kind::nothing) {
      reads.push_back(std::move(action));
    }
  }
  // A quarter of the 40 tiles, and the head itself reads in any case.
  EXPECT_GE(reads.size(), 10U);
  EXPECT_LE(reads.size(), 11U);
}

TEST(Schedule, AWorkerWithNothingToComputeReadsPastAChain) {
  // Two tiles of 1 MiB that 30 others are added to: 8 MiB are read ahead of the first.
  constexpr int64_t kTerms = 30;
  plan::Tasks tasks(2 * (kTerms + 1));
  for (plan::TileInfo& tile : tasks.graph.tiles) {
    tile.type = DenseTile{DType::u8, {{0}, {int64_t{1} << 20}}};
  }
  for (const int64_t chain : {0, 1}) {
    const int64_t sum = 2 * kTerms + chain;
    for (int64_t term = 0; term < kTerms; ++term) {
      tasks.read(chain * kTerms + term);
      tasks.compute({chain * kTerms + term}, sum);
    }
    tasks.write(sum);
  }
  const plan::TaskGraph graph = plan::ordered(std::move(tasks.graph));
  Schedule schedule(graph, int64_t{1} << 30, 2);
  const auto next_compute = [&] {
    for (Action action = schedule.next_for_worker(); action.kind != Action::Kind::nothing;
         action = schedule.next_for_worker()) {
      if (graph.tasks[action.task.index()].kind == plan::TaskKind::compute) {
        return action.task;
      }
      schedule.finish(action);
    }
    return plan::TaskId();
  };
  const auto sum_of = [&](plan::TaskId task) { return graph.tasks[task.index()].outputs[0].tile; };
  const plan::TaskId first = next_compute();
  const plan::TaskId second = next_compute();
  ASSERT_TRUE(first.valid() && second.valid());
  EXPECT_NE(sum_of(first), sum_of(second));
}

}  // namespace
}  // namespace tessera::runtime::schedule_test

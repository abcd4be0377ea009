#include "simulate/joins_first.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace tessera::simulate {

namespace {

/// The stage of a task: joins and their inputs, then the collecting and merging of their results,
/// and so on with the tasks that need these. Compares in this order.
struct Stage {
  int64_t round = 0;
  bool is_of_merging = false;
  friend auto operator<=>(const Stage&, const Stage&) = default;
};

/// The facts about a tile while tasks are walked in their order.
struct MadeTile {
  Stage stage;
  Shared<std::string> statement;  // that computed it; empty for an input's
};

class StagesOfTasks {
 public:
  explicit StagesOfTasks(const plan::TaskGraph& graph) : graph_(graph), made_(graph.tiles.size()) {}

  std::vector<Stage> all() {
    std::vector<Stage> stages;
    for (const plan::TaskInfo& task : graph_.tasks) {
      stages.push_back(stage_of(task));
      for (const plan::Argument& output : task.outputs) {
        made_[output.tile.index()] = {stages.back(), statement_of(task)};
      }
    }
    return stages;
  }

 private:
  /// True if it moves or merges results of its own statement.
  bool is_of_merging(const plan::TaskInfo& task) const {
    return task.kind != plan::TaskKind::write_sink &&
           std::any_of(task.inputs.begin(), task.inputs.end(), [&](const plan::Argument& input) {
             const std::string& maker = *made_[input.tile.index()].statement;
             return !maker.empty() && maker == task.origin->statement;
           });
  }

  Stage stage_of(const plan::TaskInfo& task) const {
    Stage stage{0, is_of_merging(task)};
    const auto follow = [&](const plan::Argument& argument) {
      const Stage& before = made_[argument.tile.index()].stage;
      const bool is_next = before.is_of_merging && !stage.is_of_merging;
      stage.round = std::max(stage.round, before.round + (is_next ? 1 : 0));
    };
    std::for_each(task.inputs.begin(), task.inputs.end(), follow);
    if (task.kind == plan::TaskKind::compute && task.shape.accumulate) {
      std::for_each(task.outputs.begin(), task.outputs.end(), follow);
    }
    return stage;
  }

  Shared<std::string> statement_of(const plan::TaskInfo& task) const {
    if (task.kind == plan::TaskKind::compute) {
      return task.origin->statement;
    }
    return task.inputs.empty() ? Shared<std::string>()
                               : made_[task.inputs.front().tile.index()].statement;
  }

  const plan::TaskGraph& graph_;
  std::vector<MadeTile> made_;
};

/// An order of activities by stage, with a barrier on every site after its joins of a round.
class Reordered {
 public:
  Reordered(const Workload& workload, const std::vector<Stage>& stages)
      : workload_(workload), stages_(stages), place_of_(stages.size()) {}

  Workload build() {
    std::vector<size_t> order(stages_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return stages_[a] < stages_[b]; });
    result_.num_sites = workload_.num_sites;
    result_.tiles = workload_.tiles;
    Stage stage;
    for (const size_t number : order) {
      if (stages_[number] != stage) {
        end_stage(stage);
        stage = stages_[number];
      }
      add(number);
    }
    return std::move(result_);
  }

 private:
  ActivityId next() const { return ActivityId(static_cast<int64_t>(result_.activities.size())); }

  void end_stage(const Stage& stage) {
    barriers_.clear();
    for (auto& [site, joins] : std::exchange(joins_, {})) {
      if (!stage.is_of_merging) {
        barriers_[site] = next();
        add_barrier(site, joins);
      }
    }
  }

  void add_barrier(int32_t site, const std::vector<ActivityId>& joins) {
    ActivityInfo barrier;
    barrier.kind = ActivityKind::barrier;
    barrier.site = site;
    barrier.from = site;
    barrier.name = std::string("joins are done");
    barrier.work = std::string("barrier");
    result_.activities.push_back(std::move(barrier));
    result_.dependencies.append(joins);
    result_.touched.append({});
  }

  void add(size_t number) {
    const ActivityId id(static_cast<int64_t>(number));
    const ActivityInfo& activity = workload_.at(id);
    std::vector<ActivityId> before;
    for (const ActivityId needed : workload_.dependencies.of(id)) {
      check_order(needed, id);
      before.push_back(place_of_[needed.index()]);
    }
    const auto barrier = barriers_.find(activity.from);
    if (barrier != barriers_.end() && activity.kind != ActivityKind::write) {
      before.push_back(barrier->second);
    }
    if (activity.kind == ActivityKind::compute) {
      joins_[activity.site].push_back(next());
    }
    place_of_[number] = next();
    result_.activities.push_back(activity);
    result_.dependencies.append(before);
    result_.touched.append(workload_.touched.of(id));
  }

  void check_order(ActivityId needed, ActivityId id) const {
    if (stages_[needed.index()] > stages_[id.index()]) {
      throw_error(ErrorKind::unsupported,
                  "joins cannot all come before merges: {} writes to a tile that was merged before",
                  *workload_.at(id).name);
    }
  }

  const Workload& workload_;
  const std::vector<Stage>& stages_;
  std::vector<ActivityId> place_of_;  // of every activity, in the result
  Workload result_;
  std::map<int32_t, std::vector<ActivityId>> joins_;  // of the current stage, by site
  std::map<int32_t, ActivityId> barriers_;            // that end the stage before, by site
};

}  // namespace

Workload joins_first(const Workload& workload, const plan::TaskGraph& graph) {
  const std::vector<Stage> stages = StagesOfTasks(graph).all();
  return Reordered(workload, stages).build();
}

}  // namespace tessera::simulate

#include "plan/plan_size.h"

#include <algorithm>
#include <vector>

#include "ir/tra/keys.h"
#include "plan/accumulation.h"

namespace tessera::plan {

namespace {

/// Of a task with its tiles: 700 bytes in the plan and what makes it, the rest in what a run keeps
/// of each task and tile (resident sets of runs with 10,000 to 180,000 tasks, 2026-11).
constexpr int64_t kBytesPerTask = 1'600;
/// Sums of more tasks than this stay as they are.
constexpr int64_t kManyTasks = int64_t{1} << 60;

class Count {
 public:
  explicit Count(const tra::Graph& graph) : graph_(graph), num_readers_(graph.nodes.size(), 0) {}

  int64_t run() {
    for (const tra::Output& output : graph_.outputs) {
      add(keys_of(output.node));
      ++num_readers_[output.node.index()];
    }
    for (size_t number = graph_.nodes.size(); number-- > 0;) {
      if (num_readers_[number] > 0) {
        const tra::Op& op = graph_.nodes[number].op;
        for (const tra::NodeId input : tra::inputs_of(op)) {
          ++num_readers_[input.index()];
        }
        node_ = tra::NodeId(static_cast<int64_t>(number));
        std::visit(*this, op);
      }
    }
    return tasks_;
  }

  void operator()(const tra::Input&) { add(keys_of(node_)); }
  void operator()(const tra::Join&) { add(keys_of(node_)); }
  void operator()(const tra::Transform&) { add(keys_of(node_)); }
  void operator()(const tra::Rekey&) {}
  void operator()(const tra::Filter&) {}
  void operator()(const tra::Tile&) {}
  void operator()(const tra::Concat& concat) { add(keys_of(concat.input)); }

  /// Where its input accumulates, nothing is left to merge.
  void operator()(const tra::Aggregate& aggregate) {
    const auto* join = std::get_if<tra::Join>(&graph_.at(aggregate.input).op);
    const bool is_merged = join != nullptr && num_readers_[aggregate.input.index()] == 1 &&
                           accumulates(*join, aggregate);
    add(is_merged ? 0 : keys_of(aggregate.input));
  }

  /// Cuts are views, pastes copy.
  void operator()(const tra::Repartition& repartition) {
    const int64_t boxes = tra::num_keys(
        tra::common_refinement(graph_.at(repartition.input).type.key, repartition.key));
    add(boxes == tra::num_keys(repartition.key) ? 0 : boxes);
  }

 private:
  int64_t keys_of(tra::NodeId node) const { return tra::num_tuples(graph_.at(node).type); }
  void add(int64_t tasks) { tasks_ = std::min(tasks_ + tasks, kManyTasks); }

  const tra::Graph& graph_;
  std::vector<int64_t> num_readers_;
  tra::NodeId node_;
  int64_t tasks_ = 0;
};

}  // namespace

int64_t expected_tasks(const tra::Graph& graph) {
  return Count(graph).run();
}

int64_t counted_plan_bytes(int64_t num_tasks) {
  return std::max<int64_t>(0, num_tasks - kFreeTasks) * kBytesPerTask;
}

int64_t counted_plan_bytes(const TaskGraph& graph) {
  return counted_plan_bytes(static_cast<int64_t>(graph.tasks.size()));
}

}  // namespace tessera::plan

#include "plan/plan_size.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/overload.h"
#include "ir/tra/keys.h"
#include "plan/accumulation.h"

namespace tessera::plan {

namespace {

/// Bytes of a task with its tiles: 700 in the plan and its making, the rest in a run's records of
/// each task and tile (resident sets of runs with 10,000 to 180,000 tasks, 2026-11).
constexpr int64_t kBytesPerTask = 1'600;
/// The cap of sums of tasks, so that they do not overflow.
constexpr int64_t kManyTasks = int64_t{1} << 60;

/// Counts the boxes that the tuples of a key are made of, with separate ones for each window.
int64_t num_parts(const std::vector<tra::KeyDim>& key, const std::vector<tra::KeyDim>& boxes) {
  int64_t parts = 1;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    const ModeGrid* pieces = tra::grid_of(boxes[dim]);
    const WindowGrid* windows = tra::windows_of(key[dim]);
    int64_t of_dim = windows == nullptr ? tra::num_keys(boxes[dim]) : 0;
    for (int64_t number = 0; windows != nullptr && number < windows->num_pieces(); ++number) {
      const int64_t last = windows->begin(number) + windows->length(number) - 1;
      of_dim += piece_at(*pieces, last) - piece_at(*pieces, windows->begin(number)) + 1;
    }
    parts = std::min(kManyTasks, of_dim) > kManyTasks / parts ? kManyTasks : parts * of_dim;
  }
  return parts;
}

const tra::Op* op_of(const tra::Node& node) {
  return &node.op;
}
const tra::Op* op_of(const ia::Node& node) {
  return ia::local_op(node);
}

std::vector<tra::NodeId> inputs_of(const tra::Node& node) {
  return tra::inputs_of(node.op);
}
std::vector<tra::NodeId> inputs_of(const ia::Node& node) {
  return ia::inputs_of(node.op);
}

/// Counts the sites on which a tuple is made, read or received.
int64_t num_copies(const tra::Graph&, const tra::Node&) {
  return 1;
}
int64_t num_copies(const ia::Graph& graph, const ia::Node& node) {
  return std::visit(
      Overload{[&](const ia::Everywhere&) { return graph.num_sites; },
               [&](const ia::ByCopies& copies) {
                 const auto keys = static_cast<int64_t>(copies.sites->num_keys());
                 const auto all = static_cast<int64_t>(copies.sites->num_copies());
                 return keys == 0 ? 0 : (all + keys - 1) / keys;
               },
               [](const Among<ia::ByMap, ia::ByTable, ia::Undecided> auto&) { return int64_t{1}; }},
      node.placement);
}

/// The tasks of every node of a graph of relations, placed or not.
template <class Graph>
class Count {
 public:
  explicit Count(const Graph& graph)
      : graph_(graph), num_readers_(graph.nodes.size(), 0), tasks_(graph.nodes.size(), 0) {}

  std::vector<int64_t> run() && {
    for (const tra::Output& output : graph_.outputs) {
      add(output.node, keys_of(output.node));
      ++num_readers_[output.node.index()];
    }
    for (size_t number = graph_.nodes.size(); number-- > 0;) {
      if (num_readers_[number] > 0) {
        const auto& node = graph_.nodes[number];
        for (const tra::NodeId input : inputs_of(node)) {
          ++num_readers_[input.index()];
        }
        node_ = tra::NodeId(static_cast<int64_t>(number));
        const tra::Op* op = op_of(node);
        const int64_t tasks = op == nullptr ? keys_of(node_) : std::visit(*this, *op);
        const int64_t copies = num_copies(graph_, node);
        add(node_, std::min(tasks, kManyTasks / std::max<int64_t>(1, copies)) * copies);
      }
    }
    return std::move(tasks_);
  }

  int64_t operator()(const tra::Input&) { return keys_of(node_); }
  int64_t operator()(const tra::Join&) { return keys_of(node_); }
  int64_t operator()(const tra::Transform&) { return keys_of(node_); }
  int64_t operator()(const tra::Rekey&) { return 0; }
  int64_t operator()(const tra::Filter&) { return 0; }
  int64_t operator()(const tra::Tile&) { return 0; }
  int64_t operator()(const tra::Concat& concat) { return keys_of(concat.input); }
  int64_t operator()(const tra::Scan&) { return keys_of(node_); }

  /// If the input accumulates, only the tiles that take turns are left to merge.
  int64_t operator()(const tra::Aggregate& aggregate) {
    const tra::Op* input = op_of(graph_.at(aggregate.input));
    const auto* join = input == nullptr ? nullptr : std::get_if<tra::Join>(input);
    const bool is_merged = join != nullptr && num_readers_[aggregate.input.index()] == 1 &&
                           accumulates(*join, aggregate);
    return is_merged ? merged_turns(*join, aggregate) : keys_of(aggregate.input);
  }

  int64_t merged_turns(const tra::Join& join, const tra::Aggregate& aggregate) {
    if (graph_.is_reproducible) {
      return 0;
    }
    const auto type_of = [&](tra::NodeId input) -> const auto& {
      return graph_.at(input).type;
    };
    const tra::RelationType& result = graph_.at(node_).type;
    const int64_t tiles =
        num_chains(aggregate, result, bytes_read(join, type_of), keys_of(aggregate.input));
    return (tiles - 1) * tra::num_tuples(result);
  }

  /// Cuts are views, pastes copy.
  int64_t operator()(const tra::Repartition& repartition) {
    const std::vector<tra::KeyDim>& from = graph_.at(repartition.input).type.key;
    if (tra::refines(repartition.key, from)) {
      return 0;
    }
    return num_parts(repartition.key, tra::common_refinement(from, repartition.key));
  }

 private:
  int64_t keys_of(tra::NodeId node) const { return tra::num_tuples(graph_.at(node).type); }
  void add(tra::NodeId node, int64_t tasks) {
    int64_t& sum = tasks_[node.index()];
    sum = std::min(sum + tasks, kManyTasks);
  }

  const Graph& graph_;
  std::vector<int64_t> num_readers_;
  std::vector<int64_t> tasks_;
  tra::NodeId node_;  // the current node
};

int64_t sum_of(const std::vector<int64_t>& tasks) {
  int64_t sum = 0;
  for (const int64_t of_node : tasks) {
    sum = std::min(sum + of_node, kManyTasks);
  }
  return sum;
}

}  // namespace

int64_t expected_tasks(const tra::Graph& graph) {
  return sum_of(Count(graph).run());
}

int64_t expected_tasks(const ia::Graph& graph) {
  return sum_of(expected_tasks_of_nodes(graph));
}

std::vector<int64_t> expected_tasks_of_nodes(const ia::Graph& graph) {
  return Count(graph).run();
}

int64_t counted_plan_bytes(int64_t num_tasks) {
  return std::max<int64_t>(0, num_tasks - kFreeTasks) * kBytesPerTask;
}

int64_t counted_plan_bytes(const TaskGraph& graph) {
  return counted_plan_bytes(static_cast<int64_t>(graph.tasks.size()));
}

}  // namespace tessera::plan

#include "plan/order.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "plan/dependencies.h"
#include "plan/memory.h"

namespace tessera::plan {

namespace {

/// When a tile that another task made is used.
enum class UseTime : uint8_t {
  late,  // when the task that is on the way to a sink comes to it
  early  // as soon as it is there, by every task that then has all it needs
};

/// Lists the tasks that some sink needs, in an order in which they can run.
class Listing {
 public:
  Listing(const TaskGraph& graph, const Incidence<TaskId, TaskId>& dependencies, UseTime use)
      : graph_(graph),
        use_(use),
        dependencies_(dependencies),
        dependents_(dependencies.reversed(graph.tasks.size())),
        state_(graph.tasks.size(), State::unneeded) {}

  std::vector<TaskId> run() && {
    mark_needed();
    for (size_t number = 0; number < graph_.tasks.size(); ++number) {
      if (graph_.tasks[number].kind == TaskKind::write_sink) {
        complete(TaskId(static_cast<int64_t>(number)));
      }
    }
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { unneeded, needed, open, listed };

  /// A task, and how many of its dependencies or dependents were looked at.
  struct Entry {
    TaskId task;
    size_t looked_at = 0;
  };

  State& state(TaskId task) { return state_[task.index()]; }
  bool is_source(TaskId task) const {
    return graph_.tasks[task.index()].kind == TaskKind::read_source;
  }

  void mark_needed() {
    for (size_t number = graph_.tasks.size(); number-- > 0;) {
      const TaskId task(static_cast<int64_t>(number));
      if (graph_.tasks[number].kind == TaskKind::write_sink) {
        state(task) = State::needed;
      }
      if (state(task) == State::needed) {
        for (const TaskId earlier : dependencies_.of(task)) {
          state(earlier) = State::needed;
        }
      }
    }
  }

  /// Depth first, without recursion: a chain may be a million tasks long.
  void complete(TaskId root) {
    std::vector<Entry> open;
    enter(root, open);
    while (!open.empty()) {
      auto& [task, looked_at] = open.back();
      const std::span<const TaskId> earlier = dependencies_.of(task);
      if (looked_at == earlier.size()) {
        const TaskId done = task;
        open.pop_back();
        list(done);
        use_early(done);
      } else {
        enter(earlier[looked_at++], open);
      }
    }
  }

  void enter(TaskId task, std::vector<Entry>& open) {
    if (state(task) == State::needed) {
      state(task) = State::open;
      open.push_back({task});
    }
  }

  void list(TaskId task) {
    state(task) = State::listed;
    order_.push_back(task);
  }

  /// Lists what has become possible by a task that made something, and by what that makes.
  void use_early(TaskId made) {
    if (use_ == UseTime::late || is_source(made)) {
      return;
    }
    std::vector<Entry> recent = {{made}};
    while (!recent.empty()) {
      auto& [last, looked_at] = recent.back();
      const std::span<const TaskId> later = dependents_.of(last);
      if (looked_at == later.size()) {
        recent.pop_back();
        continue;
      }
      const TaskId next = later[looked_at++];
      if (state(next) == State::needed && has_all_but_sources(next)) {
        list_with_sources(next);
        recent.push_back({next});
      }
    }
  }

  void list_with_sources(TaskId task) {
    for (const TaskId earlier : dependencies_.of(task)) {
      if (state(earlier) != State::listed) {
        list(earlier);
      }
    }
    list(task);
  }

  bool has_all_but_sources(TaskId task) {
    const std::span<const TaskId> earlier = dependencies_.of(task);
    return std::all_of(earlier.begin(), earlier.end(), [&](TaskId dependency) {
      return state(dependency) == State::listed ||
             (state(dependency) == State::needed && is_source(dependency));
    });
  }

  const TaskGraph& graph_;
  UseTime use_;
  const Incidence<TaskId, TaskId>& dependencies_;
  Incidence<TaskId, TaskId> dependents_;
  std::vector<State> state_;
  std::vector<TaskId> order_;
};

/// Keeps the tasks of an order, in that order. In their place: a second list of them would be most
/// of what planning holds at once.
void put_into(const std::vector<TaskId>& order, std::vector<TaskInfo>& tasks) {
  std::vector<TaskId> here;  // by place: the task that is there now
  for (size_t place = 0; place < tasks.size(); ++place) {
    here.emplace_back(static_cast<int64_t>(place));
  }
  std::vector<size_t> place_of(tasks.size());
  std::iota(place_of.begin(), place_of.end(), size_t{0});
  for (size_t place = 0; place < order.size(); ++place) {
    const size_t from = place_of[order[place].index()];
    std::swap(tasks[place], tasks[from]);
    std::swap(here[place], here[from]);
    place_of[here[place].index()] = place;
    place_of[here[from].index()] = from;
  }
  tasks.resize(order.size());
}

/// Keeps the tiles that a task still writes, under new numbers.
void drop_unwritten_tiles(TaskGraph& graph) {
  std::vector<TileId> number(graph.tiles.size());
  std::vector<TileInfo> kept;
  kept.reserve(graph.tiles.size());
  const auto renumber = [&](Argument& argument) {
    TileId& id = number[argument.tile.index()];
    if (!id.valid()) {
      id = TileId(static_cast<int64_t>(kept.size()));
      kept.push_back(std::move(graph.tiles[argument.tile.index()]));
    }
    argument.tile = id;
  };
  for (TaskInfo& task : graph.tasks) {
    std::for_each(task.inputs.begin(), task.inputs.end(), renumber);
    std::for_each(task.outputs.begin(), task.outputs.end(), renumber);
  }
  graph.tiles = std::move(kept);
}

void find_last_uses(TaskGraph& graph) {
  for (size_t task = 0; task < graph.tasks.size(); ++task) {
    const TaskId id(static_cast<int64_t>(task));
    for (const Argument& input : graph.tasks[task].inputs) {
      graph.tiles[input.tile.index()].last_use = id;
    }
    for (const Argument& output : graph.tasks[task].outputs) {
      graph.tiles[output.tile.index()].last_use = id;
    }
  }
}

struct Order {
  std::vector<TaskId> tasks;
  Bytes peak;  // of the spaces where it is the largest
};

/// Whether fewer bytes are expected; among equals, whether they are fewer at most.
bool is_lower(const Bytes& a, const Bytes& b) {
  return std::pair(a.expected, a.at_most) < std::pair(b.expected, b.at_most);
}

/// The order with the lower peak; among equals the one that uses late.
Order best_order(const TaskGraph& graph) {
  const Incidence<TaskId, TaskId> dependencies = dependencies_of(graph);
  const Incidence<TaskId, TileId> tiles = tiles_of(graph);
  const auto order = [&](UseTime use) {
    std::vector<TaskId> tasks = Listing(graph, dependencies, use).run();
    Bytes largest;
    for (const MemoryPeak& peak : serial_peaks(graph, tiles, tasks)) {
      largest.expected = std::max(largest.expected, peak.bytes.expected);
      largest.at_most = std::max(largest.at_most, peak.bytes.at_most);
    }
    return Order{std::move(tasks), largest};
  };
  Order late = order(UseTime::late);
  Order early = order(UseTime::early);
  return is_lower(early.peak, late.peak) ? early : late;
}

}  // namespace

TaskGraph ordered(TaskGraph draft) {
  TaskGraph graph = std::move(draft);
  put_into(best_order(graph).tasks, graph.tasks);
  drop_unwritten_tiles(graph);
  find_last_uses(graph);
  const std::vector<MemoryProof> proofs = memory_proofs(graph);
  for (size_t space = 0; space < proofs.size(); ++space) {
    graph.spaces[space].proof = proofs[space];
  }
  return graph;
}

}  // namespace tessera::plan

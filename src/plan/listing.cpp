#include "plan/listing.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tessera::plan {

namespace {

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

  /// A task, and the number of its dependencies or dependents that were looked at.
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

  /// Lists a task with its dependencies. Without recursion: a chain may be a million tasks long.
  void complete(TaskId root) {
    std::vector<Entry> open;
    enter(root, open);
    while (!open.empty()) {
      auto& [task, looked_at] = open.back();
      const std::span<const TaskId> earlier = dependencies_.of(task);
      if (looked_at == earlier.size()) {
        const TaskId done = task;
        open.pop_back();
        if (state(done) == State::open) {
          list(done);
          use_what_is_there(done);
        }
      } else {
        enter(earlier[looked_at++], open);
      }
    }
  }

  void enter(TaskId task, std::vector<Entry>& open) {
    if (state(task) != State::needed) {
      return;
    }
    state(task) = State::open;
    open.push_back({task});
    if (is_merge(task)) {
      enter_merged(task, open);
    }
  }

  /// True if a task adds one of its inputs to another.
  bool is_merge(TaskId task) const {
    const TaskInfo& info = graph_.tasks[task.index()];
    return info.kind == TaskKind::compute && info.inputs.size() > 1 &&
           std::any_of(info.inputs.begin(), info.inputs.end(), [&](const Argument& input) {
             return input.tile == info.outputs.front().tile;
           });
  }

  /// Returns the task before it that wrote to its tile; an invalid one for the first.
  TaskId adds_to(TaskId task) const {
    const std::span<const TaskId> earlier = dependencies_.of(task);
    const auto tile_of = [&](TaskId of) {
      const TaskInfo& info = graph_.tasks[of.index()];
      return info.outputs.empty() ? TileId() : info.outputs.front().tile;
    };
    return !earlier.empty() && tile_of(earlier.front()) == tile_of(task) ? earlier.front()
                                                                         : TaskId();
  }

  /// Enters the tasks that add to the tiles which a merge, and the merges before it, need. The
  /// earliest in the draft is completed first.
  void enter_merged(TaskId merge, std::vector<Entry>& open) {
    std::vector<TaskId> found = {merge};
    const auto add = [&](TaskId task) {
      if (state(task) == State::needed) {
        state(task) = State::open;
        found.push_back(task);
      }
    };
    for (size_t next = 0; next < found.size(); ++next) {
      if (is_merge(found[next])) {
        for (const TaskId earlier : dependencies_.of(found[next])) {
          if (adds_to(earlier).valid()) {
            add(earlier);
          }
        }
      } else if (const TaskId before = adds_to(found[next]); before.valid()) {
        add(before);
      }
    }
    std::sort(found.begin() + 1, found.end(), std::greater<>());
    for (size_t next = 1; next < found.size(); ++next) {
      open.push_back({found[next]});
    }
  }

  /// Lists a task. A complete result is written at once: that costs nothing, and may free its tile.
  void list(TaskId task) {
    state(task) = State::listed;
    order_.push_back(task);
    if (is_source(task)) {
      read_.push_back({task});
    }
    for (const TaskId later : dependents_.of(task)) {
      if (graph_.tasks[later.index()].kind == TaskKind::write_sink && has_all(later)) {
        state(later) = State::listed;
        order_.push_back(later);
      }
    }
  }

  void use_what_is_there(TaskId done) {
    if (is_source(done)) {
      return;  // the task that it was read for comes first
    }
    if (use_ == UseTime::early) {
      use_early(done);
    } else if (use_ == UseTime::together) {
      use_together();
    }
    read_.clear();
  }

  /// Lists the tasks that a computed tile makes ready, and in turn those that their results do.
  void use_early(TaskId made) {
    std::vector<Entry> recent = {{made}};
    while (!recent.empty()) {
      if (const TaskId next = next_user(recent.back()); next.valid()) {
        list_with_sources(next);
        recent.push_back({next});
      } else {
        recent.pop_back();
      }
    }
  }

  /// Lists the tasks that read tiles make ready, and the reads that these need.
  void use_together() {
    for (size_t source = 0; source < read_.size(); ++source) {
      for (TaskId next = next_user(read_[source]); next.valid(); next = next_user(read_[source])) {
        list_with_sources(next);
      }
    }
  }

  /// Returns the next dependent of a task that needs nothing else but sources.
  TaskId next_user(Entry& entry) {
    const std::span<const TaskId> later = dependents_.of(entry.task);
    while (entry.looked_at < later.size()) {
      const TaskId next = later[entry.looked_at++];
      if (state(next) == State::needed && has_all_but_sources(next)) {
        return next;
      }
    }
    return {};
  }

  void list_with_sources(TaskId task) {
    for (const TaskId earlier : dependencies_.of(task)) {
      if (state(earlier) != State::listed) {
        list(earlier);
      }
    }
    list(task);
  }

  bool has_all(TaskId task) {
    const std::span<const TaskId> earlier = dependencies_.of(task);
    return std::all_of(earlier.begin(), earlier.end(),
                       [&](TaskId dependency) { return state(dependency) == State::listed; });
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
  std::vector<Entry> read_;  // sources listed since the last computing task
  std::vector<TaskId> order_;
};

}  // namespace

std::vector<TaskId> listed(const TaskGraph& draft, const Incidence<TaskId, TaskId>& dependencies,
                           UseTime use) {
  return Listing(draft, dependencies, use).run();
}

}  // namespace tessera::plan

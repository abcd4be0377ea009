#include "plan/dependencies.h"

#include <algorithm>

namespace tessera::plan {

namespace {

template <class Id>
void append_once(std::vector<Id>& list, Id id) {
  if (id.valid() && std::find(list.begin(), list.end(), id) == list.end()) {
    list.push_back(id);
  }
}

/// The accesses to a tile so far.
struct History {
  TaskId writer;
  std::vector<TaskId> readers;  // since then
};

}  // namespace

Incidence<TaskId, TaskId> dependencies_of(const TaskGraph& graph) {
  Incidence<TaskId, TaskId> dependencies;
  std::vector<History> histories(graph.tiles.size());
  std::vector<TaskId> earlier;
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    const TaskInfo& task = graph.tasks[number];
    const TaskId id(static_cast<int64_t>(number));
    earlier.clear();
    for (const Argument& output : task.outputs) {
      append_once(earlier, histories[output.tile.index()].writer);
    }
    for (const Argument& input : task.inputs) {
      append_once(earlier, histories[input.tile.index()].writer);
    }
    for (const Argument& output : task.outputs) {
      for (const TaskId reader : histories[output.tile.index()].readers) {
        append_once(earlier, reader);
      }
    }
    dependencies.append(earlier);
    for (const Argument& input : task.inputs) {
      histories[input.tile.index()].readers.push_back(id);
    }
    for (const Argument& output : task.outputs) {
      histories[output.tile.index()] = {id, {}};
    }
  }
  return dependencies;
}

Incidence<TaskId, TileId> tiles_of(const TaskGraph& graph) {
  Incidence<TaskId, TileId> tiles;
  std::vector<TileId> touched;
  for (const TaskInfo& task : graph.tasks) {
    touched.clear();
    for (const std::vector<Argument>* arguments : {&task.outputs, &task.inputs}) {
      for (const Argument& argument : *arguments) {
        append_once(touched, argument.tile);
      }
    }
    tiles.append(touched);
  }
  return tiles;
}

}  // namespace tessera::plan

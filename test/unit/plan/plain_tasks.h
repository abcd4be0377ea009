#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

inline TaskId task(int64_t number) {
  return TaskId(number);
}

inline TileId tile(int64_t number) {
  return TileId(number);
}

/// A graph of tasks over tiles of 64 bytes; only who touches what counts here.
class Tasks {
 public:
  TaskGraph graph;

  explicit Tasks(int64_t num_tiles) {
    for (int64_t number = 0; number < num_tiles; ++number) {
      graph.tiles.push_back({"T", {number}, 0, DenseTile{DType::i64, {{0}, {8}}}, {}});
    }
  }

  void add(TaskKind kind, const std::vector<int64_t>& inputs, const std::vector<int64_t>& outputs,
           int64_t workspace_bytes = 0) {
    TaskInfo info;
    info.kind = kind;
    info.workspace_bytes = workspace_bytes;
    for (const int64_t input : inputs) {
      info.inputs.push_back({tile(input), nullptr});
    }
    for (const int64_t output : outputs) {
      info.outputs.push_back({tile(output), nullptr});
    }
    graph.tasks.push_back(std::move(info));
    for (const auto* list : {&graph.tasks.back().inputs, &graph.tasks.back().outputs}) {
      for (const Argument& argument : *list) {
        graph.tiles[argument.tile.index()].last_use =
            task(static_cast<int64_t>(graph.tasks.size()) - 1);
      }
    }
  }

  void read(int64_t output) { add(TaskKind::read_source, {}, {output}); }
  void compute(const std::vector<int64_t>& inputs, int64_t output) {
    add(TaskKind::compute, inputs, {output});
  }
  void write(int64_t input) { add(TaskKind::write_sink, {input}, {}); }
};

}  // namespace tessera::plan

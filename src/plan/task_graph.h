#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "expr/tile_program.h"
#include "kernels/kernel.h"
#include "types/array_type.h"
#include "types/origin.h"

namespace tessera::plan {

struct TileInfo;
struct TaskInfo;
struct ProgramInfo;
using TileId = Id<TileInfo>;
using TaskId = Id<TaskInfo>;  // its number is its place in the order of execution
using ProgramId = Id<ProgramInfo>;

/// One tile: an array that a task makes and others read.
struct TileInfo {
  std::string relation;  // whose tile it is, for people: "QH"
  std::vector<int64_t> key;
  int64_t column = 0;
  DType dtype = DType::f32;
  Box box;          // its place in the relation's tensor
  TaskId last_use;  // after this task its bytes are free again
  friend bool operator==(const TileInfo&, const TileInfo&) = default;
};

/// Part of a tile that a task reads or writes.
///
/// `box` is in the coordinates of the tile's own tensor. `origin` is where its first element lies
/// for this task: the same place, but for a tile whose key was dropped or renamed on the way, which
/// then counts from 0. A sink may have more modes than the tile: bare key dimensions come first,
/// each of extent 1 here.
struct Argument {
  TileId tile;
  Box box;
  std::vector<int64_t> origin;
  friend bool operator==(const Argument&, const Argument&) = default;
};

enum class TaskKind : uint8_t {
  read_source,  // outputs[0] = that box of the tensor `name` that the user supplies
  compute,      // outputs = program(inputs)
  copy_box,     // outputs[0] = inputs[0], the same box
  write_sink    // that box of the result `name` = inputs[0]
};

struct TaskInfo {
  TaskKind kind = TaskKind::compute;
  std::string name;          // of the source or sink
  ProgramId program;         // of compute
  std::string kernel;        // of compute: which kernel runs it
  kernels::CallShape shape;  // of compute
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;  // compute: with shape.accumulate they hold a value already
  int64_t workspace_bytes = 0;    // of compute: what the kernel needs besides its tiles
  double flops = 0;
  double bytes = 0;
  double seconds = 0;  // estimated
  Origin origin;
  friend bool operator==(const TaskInfo&, const TaskInfo&) = default;
};

struct ProgramInfo {
  expr::TileProgram program;
  friend bool operator==(const ProgramInfo&, const ProgramInfo&) = default;
};

/// A result and where it goes.
struct SinkInfo {
  std::string name;
  ArrayType type;
  friend bool operator==(const SinkInfo&, const SinkInfo&) = default;
};

/// Everything a run needs: flat, printable, complete. The runtime decides nothing.
struct TaskGraph {
  std::vector<TileInfo> tiles;
  std::vector<TaskInfo> tasks;  // in the order of execution
  std::vector<ProgramInfo> programs;
  std::vector<SinkInfo> sinks;
  int64_t peak_bytes = 0;       // of tiles and workspace, run one task at a time with no bound
  int64_t smallest_budget = 0;  // under which it runs, tiles being paged (memory.h)
  friend bool operator==(const TaskGraph&, const TaskGraph&) = default;
};

}  // namespace tessera::plan

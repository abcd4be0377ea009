#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/shared.h"
#include "expr/tile_program.h"
#include "kernels/kernel.h"
#include "types/array_type.h"
#include "types/memory_kind.h"
#include "types/origin.h"
#include "types/tile_type.h"

namespace tessera::plan {

struct TileInfo;
struct TaskInfo;
struct ProgramInfo;
struct SiteInfo;
struct SpaceInfo;
using TileId = Id<TileInfo>;
using TaskId = Id<TaskInfo>;  // its number is its place in the order of execution
using ProgramId = Id<ProgramInfo>;
using SiteId = Id<SiteInfo>;
using SpaceId = Id<SpaceInfo>;

constexpr SiteId kFirstSite(0);
constexpr SpaceId kFirstSpace(0);

/// What a plan takes of a space, counted in charged bytes (memory.h).
struct MemoryProof {
  Bytes peak;                   // of tiles and workspace, run one task at a time with no bound
  int64_t smallest_budget = 0;  // under which it runs, tiles being paged and as large as can be
  friend bool operator==(const MemoryProof&, const MemoryProof&) = default;
};

/// A memory with a budget of its own.
struct SpaceInfo {
  int32_t process = 0;  // of which it is
  MemoryKind kind = MemoryKind::host;
  MemoryProof proof;
  friend bool operator==(const SpaceInfo&, const SpaceInfo&) = default;
};

/// Where tasks run. All tiles of a task are in its site's space, but what a move reads.
struct SiteInfo {
  SpaceId space = kFirstSpace;
  friend bool operator==(const SiteInfo&, const SiteInfo&) = default;
};

/// One tile: an array, or rows, that a task makes and others read.
struct TileInfo {
  Shared<std::string> relation;  // whose tile it is, for people: "QH"
  std::vector<int64_t> key;
  int64_t column = 0;  // of an array: which of its tuple; rows have all columns in one tile
  TileType type;       // of an array: with its place in the relation's tensor
  TaskId last_use;     // after this task its bytes are free again
  SpaceId space = kFirstSpace;
  friend bool operator==(const TileInfo&, const TileInfo&) = default;
};

/// Part of an array, and where a task takes it to lie.
///
/// `box` is in the coordinates of the tile's own tensor. `origin` is where its first element lies
/// for the task: the same place, but for a tile whose key was dropped or renamed on the way, which
/// then counts from 0. A sink may have more modes than the tile: bare key dimensions come first,
/// each of extent 1 here.
struct Part {
  Box box;
  std::vector<int64_t> origin;
  friend bool operator==(const Part&, const Part&) = default;
};

/// What a task reads or writes: a tile in its own place, as nearly always, or a part of an array.
struct Argument {
  TileId tile;
  std::shared_ptr<const Part> part;  // null: all of the tile in its place (made by part_of_tile)
  friend bool operator==(const Argument& a, const Argument& b) {
    return a.tile == b.tile &&
           (a.part == b.part || (a.part != nullptr && b.part != nullptr && *a.part == *b.part));
  }
};

enum class TaskKind : uint8_t {
  read_source,    // outputs[0] = that box of the tensor `name` that the user supplies
  gather_source,  // outputs[0] = program(inputs[0], that tensor): the elements the input names
  compute,        // outputs = program(inputs)
  copy_box,       // outputs[0] = inputs[0], the same box
  move,           // the same from another space into that of the task's site
  write_sink,     // that box of the result `name` = inputs[0]
  send,           // half of a move (site_tasks.h): inputs[0] goes to the site `peer`
  receive         // the other half: outputs[0] = what the site `peer` sends
};

struct TaskInfo {
  TaskKind kind = TaskKind::compute;
  SiteId site = kFirstSite;
  SiteId peer;                 // of send and receive, in the plan that they are of
  ProgramId program;           // of compute and gather_source
  Shared<std::string> name;    // of the source or sink
  Shared<std::string> kernel;  // of compute: which kernel runs it
  kernels::CallShape shape;    // of compute and gather_source
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;  // compute: with shape.accumulate they hold a value already
  int64_t workspace_bytes = 0;    // of compute: what the kernel needs besides its tiles
  double flops = 0;
  double bytes = 0;
  int64_t runs = 0;    // of what touches a file: into which the bytes fall there
  double seconds = 0;  // estimated
  Shared<Origin> origin;
  friend bool operator==(const TaskInfo&, const TaskInfo&) = default;
};

struct ProgramInfo {
  Shared<expr::TileProgram> program;
  friend bool operator==(const ProgramInfo&, const ProgramInfo&) = default;
};

/// A tensor that the user supplies: all of it, of which tasks may read few tiles. What gives rows
/// has no such line: nothing says yet what the rows of a source are.
struct SourceInfo {
  std::string name;
  ArrayType type;
  friend bool operator==(const SourceInfo&, const SourceInfo&) = default;
};

/// A result and where it goes.
struct SinkInfo {
  std::string name;
  ArrayType type;
  friend bool operator==(const SinkInfo&, const SinkInfo&) = default;
};

/// Everything a run needs: flat, printable, complete. The runtime decides nothing.
struct TaskGraph {
  std::vector<SpaceInfo> spaces = {{}};
  std::vector<SiteInfo> sites = {{}};
  std::vector<TileInfo> tiles;
  std::vector<TaskInfo> tasks;  // in the order of execution
  std::vector<ProgramInfo> programs;
  std::vector<SourceInfo> sources;  // each that some task reads
  std::vector<SinkInfo> sinks;
  bool is_reproducible = false;  // as tra::Graph
  friend bool operator==(const TaskGraph&, const TaskGraph&) = default;

  const TileInfo& at(TileId id) const { return tiles[id.index()]; }

  /// The array that a tile is. REQUIRES that it is none of rows: verify() lets no task that takes
  /// arrays have rows, and no run begins with them (rows.h).
  const DenseTile& dense(TileId id) const {
    const DenseTile* tile = dense_tile(at(id).type);
    TESSERA_CHECK(tile != nullptr, "tile t{} is {}, not an array", id.value,
                  to_string(at(id).type));
    return *tile;
  }
  SpaceId space_of(const TaskInfo& task) const { return sites[task.site.index()].space; }
  const MemoryProof& proof(SpaceId space) const { return spaces[space.index()].proof; }
  /// Of the one space that there is.
  const MemoryProof& proof() const {
    TESSERA_CHECK(spaces.size() == 1, "a plan of {} spaces has no one proof", spaces.size());
    return spaces.front().proof;
  }

  /// The box of an argument, and its origin (see Part). REQUIRES its tile is an array of these.
  const Box& box_of(const Argument& argument) const {
    return argument.part == nullptr ? dense(argument.tile).box : argument.part->box;
  }
  const std::vector<int64_t>& origin_of(const Argument& argument) const {
    return argument.part == nullptr ? dense(argument.tile).box.origin : argument.part->origin;
  }
  Argument part_of_tile(TileId id, Part part) const {
    const bool is_whole = part.box == dense(id).box && part.origin == part.box.origin;
    return {id, is_whole ? nullptr : std::make_shared<const Part>(std::move(part))};
  }
};

}  // namespace tessera::plan

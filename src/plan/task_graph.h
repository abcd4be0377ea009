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

/// The memory that a plan takes of a space, in charged bytes (memory.h).
struct MemoryProof {
  Bytes peak;                   // of tiles and workspace, run one task at a time without a budget
  int64_t smallest_budget = 0;  // that it runs under with paging, with tiles at their largest
  friend bool operator==(const MemoryProof&, const MemoryProof&) = default;
};

/// A memory with a budget of its own.
struct SpaceInfo {
  int32_t process = 0;  // that owns it
  MemoryKind kind = MemoryKind::host;
  MemoryProof proof;
  friend bool operator==(const SpaceInfo&, const SpaceInfo&) = default;
};

/// A place where tasks run. All tiles of a task are in its site's space, except the input of a
/// move.
struct SiteInfo {
  SpaceId space = kFirstSpace;
  friend bool operator==(const SiteInfo&, const SiteInfo&) = default;
};

/// A tile: an array, or rows, that a task makes and others read.
struct TileInfo {
  Shared<std::string> relation;  // its relation's name, for people: "QH"
  std::vector<int64_t> key;
  int64_t column = 0;  // of an array: its index in the tuple; rows have all columns in one tile
  TileType type;       // with its place in the relation's tensor, for an array
  TaskId last_use;     // after this task its bytes are free again
  SpaceId space = kFirstSpace;
  friend bool operator==(const TileInfo&, const TileInfo&) = default;
};

/// A part of an array, and its place for a task.
///
/// `box` is in the coordinates of the tile's own tensor. `origin` is the place of its first element
/// for the task: the same, except for a tile whose key was dropped or renamed on the way, which
/// then counts from 0. A sink may have more modes than the tile: bare key dimensions come first,
/// each of extent 1 here.
struct Part {
  Box box;
  std::vector<int64_t> origin;
  friend bool operator==(const Part&, const Part&) = default;
};

/// An input or output of a task: a tile in its own place, which is by far the most frequent, or a
/// part of an array.
struct Argument {
  TileId tile;
  std::shared_ptr<const Part> part;  // null: the whole tile in its place (made by part_of_tile)
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
  move,           // a copy from another space into that of the task's site
  write_sink,     // that box of the result `name` = inputs[0]
  send,           // half of a move (site_tasks.h): inputs[0] goes to the site `peer`
  receive         // the other half: outputs[0] = what the site `peer` sends
};

struct TaskInfo {
  TaskKind kind = TaskKind::compute;
  SiteId site = kFirstSite;
  SiteId peer;                 // of send and receive, numbered like in the whole plan
  ProgramId program;           // of compute and gather_source
  Shared<std::string> name;    // of the source or sink
  Shared<std::string> kernel;  // of compute: its name
  kernels::CallShape shape;    // of compute and gather_source
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;  // of compute: with shape.accumulate they hold a value already
  int64_t workspace_bytes = 0;    // of compute: for the kernel besides its tiles
  double flops = 0;
  double bytes = 0;
  int64_t runs = 0;    // of a file access: contiguous runs of its bytes
  double seconds = 0;  // estimated
  Shared<Origin> origin;
  friend bool operator==(const TaskInfo&, const TaskInfo&) = default;
};

struct ProgramInfo {
  Shared<expr::TileProgram> program;
  friend bool operator==(const ProgramInfo&, const ProgramInfo&) = default;
};

/// A tensor that the user supplies: the whole, though tasks may read few tiles of it. Sources of
/// rows have no entry: their type is not described.
struct SourceInfo {
  std::string name;
  ArrayType type;
  friend bool operator==(const SourceInfo&, const SourceInfo&) = default;
};

/// A result and its destination.
struct SinkInfo {
  std::string name;
  ArrayType type;
  friend bool operator==(const SinkInfo&, const SinkInfo&) = default;
};

/// A complete plan for a run: flat and printable. The runtime decides nothing.
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

  /// Returns the array type of a tile. REQUIRES that it is no tile of rows: verify() lets no task
  /// that takes arrays have rows, and no run begins with them (rows.h).
  const DenseTile& dense(TileId id) const {
    const DenseTile* tile = dense_tile(at(id).type);
    TESSERA_CHECK(tile != nullptr, "tile t{} is {}, not an array", id.value,
                  to_string(at(id).type));
    return *tile;
  }
  SpaceId space_of(const TaskInfo& task) const { return sites[task.site.index()].space; }
  const MemoryProof& proof(SpaceId space) const { return spaces[space.index()].proof; }
  /// Returns the proof of the only space.
  const MemoryProof& proof() const {
    TESSERA_CHECK(spaces.size() == 1, "a plan of {} spaces has no one proof", spaces.size());
    return spaces.front().proof;
  }

  /// Returns the box of an argument, and its origin (see Part). REQUIRES its tile is an array.
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

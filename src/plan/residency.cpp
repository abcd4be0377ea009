#include "plan/residency.h"

#include <algorithm>

#include "plan/dependencies.h"
#include "plan/memory.h"

namespace tessera::plan {

Residency::Residency(const TaskGraph& graph, int64_t budget)
    : graph_(graph),
      budget_(budget),
      tiles_of_(plan::tiles_of(graph)),
      uses_of_(tiles_of_.reversed(graph.tiles.size())),
      started_(graph.tasks.size(), false),
      tiles_(graph.tiles.size()) {
  for (size_t tile = 0; tile < tiles_.size(); ++tile) {
    tiles_[tile].bytes = charged_bytes(graph.tiles[tile]);
    tiles_[tile].uses_left = uses_of_.of(TileId(static_cast<int64_t>(tile))).size();
  }
}

bool Residency::waits_for_move(TaskId task) const {
  const std::span<const TileId> tiles = tiles_of(task);
  return std::any_of(tiles.begin(), tiles.end(), [&](TileId tile) { return is_moving(tile); });
}

int64_t Residency::bytes_to_start(TaskId task) const {
  int64_t bytes = charged_workspace(graph_.tasks[task.index()]);
  for (const TileId tile : tiles_of(task)) {
    bytes += is_in_memory(tile) ? 0 : tiles_[tile.index()].bytes;
  }
  return bytes;
}

Residency::Room Residency::room_for(int64_t bytes, TaskId after) const {
  Room room;
  const int64_t missing = bytes - free_bytes();
  int64_t dropped = 0;
  int64_t gained = leaving_;
  for (auto victim = victims_.rbegin(); victim != victims_.rend(); ++victim) {
    if (gained >= missing || victim->first <= after) {
      break;
    }
    const TileState& tile = tiles_[victim->second.index()];
    gained += tile.bytes;
    if (tile.has_copy) {
      dropped += tile.bytes;
      room.dropped.push_back(victim->second);
    } else if (!room.to_spill) {
      room.to_spill = victim->second;
    }
  }
  room.ready = dropped >= missing;
  if (!room.ready) {
    room.dropped.clear();
  }
  if (room.ready || gained < missing) {
    room.to_spill.reset();  // no need of it, or no use: others have to end first
  }
  return room;
}

void Residency::drop(TileId tile) {
  remove_victim(tile);
  leave_memory(tiles_[tile.index()]);
  ++num_paged_out_;
}

void Residency::begin_spill(TileId tile) {
  TileState& state = tiles_[tile.index()];
  remove_victim(tile);
  state.moving = true;
  leaving_ += state.bytes;
}

void Residency::end_spill(TileId tile) {
  TileState& state = tiles_[tile.index()];
  state.moving = false;
  state.has_copy = true;
  leaving_ -= state.bytes;
  leave_memory(state);
  ++num_paged_out_;
}

void Residency::begin_load(TileId tile) {
  TileState& state = tiles_[tile.index()];
  state.moving = true;
  enter_memory(state);
  --num_paged_out_;
}

void Residency::end_load(TileId tile) {
  TileState& state = tiles_[tile.index()];
  state.moving = false;
  if (state.pins == 0) {
    add_victim(tile);
  }
}

Residency::Start Residency::start(TaskId task) {
  started_[task.index()] = true;
  in_use_ += charged_workspace(graph_.tasks[task.index()]);
  Start result;
  for (const TileId tile : tiles_of(task)) {
    TileState& state = tiles_[tile.index()];
    if (!state.in_memory && state.has_copy) {
      begin_load(tile);
      result.loaded.push_back(tile);
    } else if (!state.in_memory) {
      enter_memory(state);
      result.fresh.push_back(tile);
    } else if (state.pins == 0) {
      remove_victim(tile);
    }
    ++state.pins;
  }
  return result;
}

std::vector<TileId> Residency::finish(TaskId task) {
  const TaskInfo& info = graph_.tasks[task.index()];
  in_use_ -= charged_workspace(info);
  note_writes(info);
  std::vector<TileId> dead;
  for (const TileId tile : tiles_of(task)) {
    TileState& state = tiles_[tile.index()];
    --state.pins;
    if (--state.uses_left == 0) {
      leave_memory(state);
      dead.push_back(tile);
    } else if (state.pins == 0) {
      add_victim(tile);
    }
  }
  return dead;
}

/// A tile that a task wrote differs from its copy; one that was read from a source is its own copy.
void Residency::note_writes(const TaskInfo& task) {
  for (const Argument& output : task.outputs) {
    tiles_[output.tile.index()].has_copy = task.kind == TaskKind::read_source;
  }
}

/// REQUIRES a use that has not started: all later ones have not, too, or some have in a parallel
/// run.
TaskId Residency::next_use_of(TileId tile) {
  const std::span<const TaskId> uses = uses_of_.of(tile);
  size_t& next = tiles_[tile.index()].next_use;
  while (started_[uses[next].index()]) {
    ++next;
  }
  return uses[next];
}

void Residency::add_victim(TileId tile) {
  victims_.emplace(next_use_of(tile), tile);
}

void Residency::remove_victim(TileId tile) {
  // The place of the next use is still that of add_victim: only a use that starts moves it on, and
  // that removes the tile.
  victims_.erase({uses_of_.of(tile)[tiles_[tile.index()].next_use], tile});
}

void Residency::enter_memory(TileState& state) {
  state.in_memory = true;
  in_use_ += state.bytes;
}

void Residency::leave_memory(TileState& state) {
  state.in_memory = false;
  in_use_ -= state.bytes;
}

}  // namespace tessera::plan
